// `npm run site`: the guides and the other documents as a site that needs no network: site/index.html, with
// search. One page per document, one style sheet, one small script; no framework.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdownPage } from './site/markdown.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');

/** Writes the site and gives the names of its pages. */
export function buildSite(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const sources = [
    ...guidesInOrder(),
    ...markdownIn(docs),
    ...markdownIn(join(docs, 'privacy')),
    join(root, 'PRIVACY.md'),
  ];
  const nameOf = (source) =>
    source === join(docs, 'guides', 'README.md')
      ? 'index.html'
      : `${relative(docs, source)
          .replace(/^\.\.\//, '')
          .replaceAll('/', '-')
          .replace(/\.md$/, '')}.html`;
  const pages = new Map(sources.map((source) => [source, nameOf(source)]));
  const search = [];
  for (const [source, name] of pages) {
    const text = readFileSync(source, 'utf8');
    const title = titleOf(text) ?? basename(source);
    const link = (to) => linkOf(to, source, pages);
    const sections = text.split(/^(?=## )/m);
    for (const section of sections) {
      const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? title;
      search.push({
        page: name,
        title,
        heading,
        words: section
          .replace(/[#`*|()[\]]/g, ' ')
          .replace(/\s+/g, ' ')
          .slice(0, 4000),
      });
    }
    writeFileSync(join(out, name), shell(title, markdownPage(text, link), navigation(pages, name)));
  }
  writeFileSync(
    join(out, 'search.js'),
    `const entries=${JSON.stringify(search).replaceAll('<', '\\u003c')};\n${searchScript}`,
  );
  copyFileSync(join(root, 'tools/site/site.css'), join(out, 'site.css'));
  for (const font of ['inter.woff2', 'inter-greek.woff2', 'newsreader.woff2'])
    copyFileSync(join(root, 'apps/page/src/site/fonts', font), join(out, font));
  if (existsSync(join(docs, 'pictures')))
    cpSync(join(docs, 'pictures'), join(out, 'pictures'), { recursive: true });
  return [...pages.values()];
}

/** The guides as their list has them: what people need first, first. */
function guidesInOrder() {
  const folder = join(docs, 'guides');
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  const place = (source) => list.indexOf(`(${basename(source)})`);
  return markdownIn(folder).sort((a, b) => place(a) - place(b));
}

function markdownIn(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}

/** Documents become pages, pictures go along; what is not on the site is named and not linked. */
function linkOf(to, source, pages) {
  if (/^(https?:|#)/.test(to)) return to;
  const [path, anchor] = to.split('#');
  const target = join(dirname(source), path);
  const page = pages.get(target);
  if (page !== undefined) return anchor === undefined ? page : `${page}#${anchor}`;
  const inPictures = relative(join(docs, 'pictures'), target);
  return inPictures.startsWith('..') ? undefined : posix.join('pictures', inPictures);
}

/** The first heading, as plain text. */
function titleOf(text) {
  return /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '');
}

function navigation(pages, here) {
  const group = (name, wanted) =>
    `<p>${name}</p><ul>${[...pages]
      .filter(([source]) => wanted(relative(docs, source)))
      .map(([source, page]) => {
        const title = titleOf(readFileSync(source, 'utf8')) ?? page;
        return `<li><a href="${page}"${page === here ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
      })
      .join('')}</ul>`;
  return (
    group('Guides', (path) => path.startsWith('guides')) +
    group('Privacy', (path) => /^privacy|PRIVACY/.test(path)) +
    group('Reference', (path) => !path.includes('/'))
  );
}

function shell(title, body, nav) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Hushrec</title><link rel="stylesheet" href="site.css"></head>
<body><a class="skip" href="#main">Skip to content</a><header><a class="brand" href="index.html">Hushrec</a>
<label>Search <input type="search" id="search" autocomplete="off"></label><ul id="found" aria-live="polite"></ul><nav aria-label="Documents">${nav}</nav></header>
<main id="main">${body}</main><script src="search.js" defer></script></body></html>
`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const searchScript = `const field=document.querySelector('#search'),found=document.querySelector('#found');
field.addEventListener('input',()=>{
  const words=field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const hits=words.length===0?[]:entries.map((entry)=>{
    const text=entry.words.toLowerCase(),name=(entry.title+' '+entry.heading).toLowerCase();
    return {entry,score:words.every((word)=>text.includes(word)||name.includes(word))?words.reduce((sum,word)=>sum+(name.includes(word)?10:0)+text.split(word).length,0):0};
  }).filter(({score})=>score>0).sort((a,b)=>b.score-a.score).slice(0,8);
  found.replaceChildren(...hits.map(({entry})=>{
    const item=document.createElement('li'),link=document.createElement('a');
    link.href=entry.page+(entry.heading===entry.title?'':'#'+entry.heading.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu,'-').replace(/^-|-$/g,''));
    link.textContent=entry.heading===entry.title?entry.title:entry.title+': '+entry.heading;
    item.append(link);return item;
  }));
});
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = join(root, 'site');
  console.log(`${buildSite(out).length} pages in ${relative(process.cwd(), out) || '.'}/index.html`);
}
