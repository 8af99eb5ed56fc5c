"""The CPU back end: explicit SIMD loops through LLVM, for x86-64 and aarch64."""
