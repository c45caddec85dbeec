/** Articles that catalogues put behind a title to sort it: "Matrix, The", "Misérables, Les". */
const articles = /^(.*\S), (The|A|An|Les|Le|La|L'|L’|Der|Die|Das|El|Los|Las|Il|Lo|I|O|Os|De|Het)$/;

/**
 * "Starfall (1998)" → Starfall, 1998, and "Matrix, The (1999)" → The Matrix, 1999. Catalogues often keep the
 * year in the title, and its article at the end.
 */
export function titleParts(title: string): { readonly name: string; readonly year?: string } {
  const [, given = title, year] = /^(.*\S)\s*\((\d{4})\)$/.exec(title) ?? [];
  const [, rest, article] = articles.exec(given) ?? [];
  const name =
    rest === undefined || article === undefined
      ? given
      : `${article}${/['’]$/.test(article) ? '' : ' '}${rest}`;
  return year === undefined ? { name } : { name, year };
}
