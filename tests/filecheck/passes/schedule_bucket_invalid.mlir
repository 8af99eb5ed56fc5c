// RUN: OPSIR_INVALID(schedule{bucket=huge})

// CHECK: error: schedule: bucket is small, cached or streaming, got huge
func.func @f() {
  func.return
}
