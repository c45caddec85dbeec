/**
 * The compiled form of a file of `papers/`, for threads and processes, wherever this file itself runs from.
 */
export function builtFile(path: string): URL {
  const isBuilt = import.meta.url.includes('/papers/dist/');
  return new URL(isBuilt ? `../${path}` : `../dist/${path}`, import.meta.url);
}
