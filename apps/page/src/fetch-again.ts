const mostTries = 2;
const certificate = 'certificate.json';

/**
 * After a model did not open: its folder may have been replaced while it was fetched. Then its certificate is
 * another one by now, and all of its files are fetched again; where it is the same, the model is corrupt
 * indeed. Loaded on demand, since hardly anyone needs it.
 *
 * @param cause what opening the files threw
 * @param get fetches a file past what the browser has kept of it
 */
export async function fetchAgain<Opened, Trust>(
  cause: Error,
  files: ReadonlyMap<string, Uint8Array>,
  get: (name: string, options: RequestInit) => Promise<Uint8Array>,
  open: (files: ReadonlyMap<string, Uint8Array>, trust: Trust) => Promise<Opened>,
  trust: Trust,
): Promise<Opened> {
  const fresh = (name: string) => get(name, { cache: 'no-cache' });
  let [failure, known] = [cause, files];
  for (let tries = 0; tries < mostTries && failure.name === 'CorruptModelError'; tries++) {
    if (String(await fresh(certificate)) === String(known.get(certificate))) break;
    const names = [...known.keys()];
    const again = await Promise.all(names.map(async (name) => [name, await fresh(name)] as const));
    known = new Map(again);
    try {
      return await open(known, trust);
    } catch (error) {
      failure = error as Error;
    }
  }
  throw failure;
}
