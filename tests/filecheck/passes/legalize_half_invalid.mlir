// RUN: OPSIR_INVALID(legalize-half{intermediates="f64"})

// CHECK: error: legalize-half: intermediates is {{.*}}rounded{{.*}}wide{{.*}}, got 'f64'
func.func @f() {
  func.return
}
