import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { siteDirectory } from '@hushrec/page';
import { type Report, type ReportFont, renderReport } from '@hushrec/report';

const fonts: readonly (Omit<ReportFont, 'bytes'> & { readonly file: string })[] = [
  { family: 'Inter', weight: '400 700', file: 'inter.woff2' },
  { family: 'Inter', weight: '400 700', file: 'inter-greek.woff2', characters: 'U+370-3FF' },
  { family: 'Newsreader', weight: '500', file: 'newsreader.woff2' },
];

/** A report in the type of the page, which it carries (68 kB): it looks the same offline and elsewhere. */
export function pageReport(report: Report): string {
  return renderReport(
    report,
    fonts.map(({ file, ...font }) => ({ ...font, bytes: readFileSync(join(siteDirectory, file)) })),
  );
}
