import { NotPositiveDefiniteError } from '../cholesky.js';
import { ExactnessError } from '../exact-grid.js';
import { KernelMemoryError } from '../kernels/wasm-memory.js';
import { EigenError } from '../symmetric-eigen.js';

/** An error as plain data, to cross from a thread to its owner. */
export interface TaskErrorData {
  readonly name: string;
  readonly message: string;
  readonly detail?: number | string;
}

/** What of an error can be sent. */
export function describeTaskError(error: unknown): TaskErrorData {
  if (error instanceof NotPositiveDefiniteError)
    return { name: error.name, message: error.message, detail: error.pivot };
  if (error instanceof KernelMemoryError)
    return { name: error.name, message: error.message, detail: error.bytes };
  if (error instanceof ExactnessError)
    return { name: error.name, message: error.message, detail: error.input };
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: 'Error', message: String(error) };
}

/** The error again, of its own class where that is one of this package's. */
export function reviveTaskError(data: TaskErrorData): Error {
  if (data.name === 'NotPositiveDefiniteError')
    return new NotPositiveDefiniteError(Number(data.detail ?? -1));
  if (data.name === 'KernelMemoryError') return new KernelMemoryError(Number(data.detail ?? 0));
  if (data.name === 'ExactnessError')
    return new ExactnessError(data.detail as ExactnessError['input'], data.message);
  if (data.name === 'EigenError') return new EigenError();
  const error = new Error(data.message);
  error.name = data.name;
  return error;
}
