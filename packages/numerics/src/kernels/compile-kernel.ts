/** A kernel that its build embedded as base64, or undefined where the host has no SIMD. */
export function compileKernel(wasmBase64: string): WebAssembly.Module | undefined {
  const bytes = Uint8Array.from(atob(wasmBase64), (character) => character.charCodeAt(0));
  return typeof WebAssembly === 'object' && WebAssembly.validate(bytes)
    ? new WebAssembly.Module(bytes)
    : undefined;
}

/** Memory of so many bytes for one, or undefined where the host has no room for it. */
export function kernelMemory(bytes: number): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / 2 ** 16), maximum: 65_536 });
  } catch {
    return undefined;
  }
}
