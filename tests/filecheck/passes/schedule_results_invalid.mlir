// RUN: OPSIR_INVALID(schedule{results=here})

// CHECK: error: schedule: results is apart or reused, got here
func.func @f() {
  func.return
}
