/** "Starfall (1998)" → Starfall, 1998. Catalogues often keep the year in the title. */
export function titleParts(title: string): { readonly name: string; readonly year?: string } {
  const [, name, year] = /^(.*\S)\s*\((\d{4})\)$/.exec(title) ?? [];
  return name === undefined || year === undefined ? { name: title } : { name, year };
}
