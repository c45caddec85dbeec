import { registerMethods } from '@hushrec/factorize';

/**
 * Makes the methods of the five papers known by name, where `@hushrec/papers` is installed (in this
 * repository it always is). Without it there are `hush` and the methods without privacy. They come through
 * the door of plug-ins: a module that exports `methods`. Unlike those they are part of this product.
 */
export async function loadPapers(): Promise<void> {
  try {
    registerMethods((await import('@hushrec/papers')).methods);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
