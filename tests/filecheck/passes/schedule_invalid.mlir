// RUN: OPSIR_INVALID(schedule{vector-bytes=48})

// CHECK: error: schedule: vector-bytes is 16, 32 or 64, got 48
func.func @f() {
  func.return
}
