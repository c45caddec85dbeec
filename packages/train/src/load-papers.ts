/**
 * Makes the methods of the five papers known by name, where `@hushrec/papers` is installed (in this
 * repository it always is). Without it there are `hush` and the methods without privacy.
 */
export async function loadPapers(): Promise<void> {
  try {
    await import('@hushrec/papers/register');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
