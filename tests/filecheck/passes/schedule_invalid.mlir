// RUN: OPSIR_INVALID(schedule{machine=pentium})

// CHECK: error: schedule: machine is x86-64-v2, x86-64-v3, x86-64-v4 or aarch64, got pentium
func.func @f() {
  func.return
}
