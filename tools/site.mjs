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
import { markdownPage, sectionsOf } from './site/markdown.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');

/**
 * What the navigation lists, by reader. A page that no group names stands under “Reference”; a test holds
 * every guide to a group.
 */
const groups = [
  [
    'Start',
    [
      'guides/README.md',
      'guides/shop.md',
      'guides/python.md',
      'guides/choosing-epsilon.md',
      'guides/faq.md',
      'guides/glossary.md',
    ],
  ],
  [
    'Operate',
    ['guides/deployment.md', 'guides/growing-data.md', 'cluster.md', 'guides/federated.md', 'damage.md'],
  ],
  [
    'Sign and review',
    [
      'guides/privacy-officer.md',
      'guides/security-review.md',
      'privacy/promise.md',
      'privacy/limits.md',
      'certificate.md',
      'ledger.md',
      'audit.md',
      'pitfalls.md',
      'privacy/accounting.md',
      'privacy/noise.md',
      '../PRIVACY.md',
      '../SECURITY.md',
    ],
  ],
  [
    'Research',
    [
      'guides/researcher.md',
      'papers.md',
      ...['dpals', 'dp-cmf', 'am-ssp', 'friedman', 'dpimf'].map((paper) => `../papers/${paper}/README.md`),
      'hush.md',
      'hush-proof.md',
      'hush-numbers.md',
      'federated.md',
      'notation.md',
      'add-a-method.md',
    ],
  ],
];

/** Writes the site and gives the names of its pages. */
export function buildSite(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const listed = groups.flatMap(([, paths]) => paths.map((path) => join(docs, path)));
  const others = [
    ...markdownIn(docs),
    ...markdownIn(join(docs, 'guides')),
    ...markdownIn(join(docs, 'privacy')),
  ].filter((source) => !listed.includes(source) && source !== join(docs, 'README.md'));
  const sources = [...listed.filter((source) => existsSync(source)), ...others];
  const nameOf = (source) =>
    `${relative(docs, source)
      .replace(/^\.\.\//, '')
      .replace(/\/?README\.md$|\.md$/, '')
      .replaceAll('/', '-')}.html`;
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
    writeFileSync(
      join(out, name),
      shell(title, markdownPage(text, link), navigation(pages, name), contents(text)),
    );
  }
  writeFileSync(
    join(out, 'index.html'),
    shell('Private recommendations', home(pages), navigation(pages, 'index.html'), ''),
  );
  writeFileSync(
    join(out, 'site.js'),
    `const entries=${JSON.stringify(search).replaceAll('<', '\\u003c')};\n${script}`,
  );
  copyFileSync(join(root, 'tools/site/site.css'), join(out, 'site.css'));
  for (const font of ['inter.woff2', 'inter-greek.woff2', 'newsreader.woff2', 'OFL.txt'])
    copyFileSync(join(root, 'apps/page/src/site/fonts', font), join(out, font));
  if (existsSync(join(docs, 'pictures')))
    cpSync(join(docs, 'pictures'), join(out, 'pictures'), { recursive: true });
  return ['index.html', ...pages.values()];
}

/** The home page: the README's opening, one card for each reader, and the first commands. */
function home(pages) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, opening] = /^# Hushrec\n\n(.*?)\n\n/s.exec(readme);
  const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].find(([, block]) =>
    block.includes('ratings.csv'),
  )[0];
  const [guarantee] = /^\*\*The guarantee\.\*\*.*$/m.exec(readme);
  const [lists] = /^!\[Try it.*$/m.exec(readme);
  const [, costs] = /## What it costs\n\n(.*?)\n\n/s.exec(readme);
  const card = (title, words, path) =>
    `<a class="card" href="${pages.get(join(docs, path))}"><strong>${title}</strong><span>${words}</span></a>`;
  const link = (to) => linkOf(to, join(root, 'README.md'), pages);
  return `${markdownPage(`# Recommendations that keep each history private\n\n${opening}`, link)}
<div class="cards">${[
    card('Build', 'From a file or database to lists on your site.', 'guides/shop.md'),
    card('Operate', 'Server, monitoring, backup; every night on one budget.', 'guides/deployment.md'),
    card('Analyse', 'From pandas, polars or Arrow frames.', 'guides/python.md'),
    card('Sign', 'What to check, text for a DPIA, a checklist.', 'guides/privacy-officer.md'),
    card('Review', 'Threat model, boundaries, and what to try.', 'guides/security-review.md'),
    card('Compare', 'Private methods on your data; five papers.', 'guides/researcher.md'),
  ].join('')}</div>
${markdownPage(`${guarantee}\n\n## First commands\n\n${commands}\n\n${lists}\n\n## What it costs\n\n${costs}\n\n![Recall@20 against ε on MovieLens 1M](docs/pictures/quality.svg)`, link)}`;
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
  return /^# (.*)$/m.exec(text)?.[1].replace(/[`*]/g, '');
}

function navigation(pages, here) {
  const named = new Set(groups.flatMap(([, paths]) => paths.map((path) => join(docs, path))));
  const group = (name, sources) =>
    `<p>${name}</p><ul>${sources
      .filter((source) => pages.has(source))
      .map((source) => {
        const page = pages.get(source);
        const title = titleOf(readFileSync(source, 'utf8')) ?? page;
        return `<li><a href="${page}"${page === here ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
      })
      .join('')}</ul>`;
  return [
    ...groups.map(([name, paths]) =>
      group(
        name,
        paths.map((path) => join(docs, path)),
      ),
    ),
    group(
      'Reference',
      [...pages.keys()].filter((source) => !named.has(source)),
    ),
  ].join('');
}

/** Links to the sections of a page that has several. */
function contents(text) {
  const sections = sectionsOf(text);
  if (sections.length < 3) return '';
  const links = sections.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escaped(heading)}</a></li>`,
  );
  return `<aside aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></aside>`;
}

function shell(title, body, nav, aside) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Hushrec</title><link rel="stylesheet" href="site.css"></head>
<body><a class="skip" href="#main">Skip to content</a><header><a class="brand" href="index.html">Hushrec</a>
<button id="menu" type="button" aria-expanded="false" aria-controls="documents">Contents</button>
<label>Search <input type="search" id="search" autocomplete="off"></label><ul id="found" aria-live="polite"></ul><nav id="documents" aria-label="Documents">${nav}</nav></header>
<main id="main">${body}</main>${aside}<script src="site.js" defer></script></body></html>
`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const script = `document.documentElement.classList.add('js');
const menu=document.querySelector('#menu');
menu.addEventListener('click',()=>menu.setAttribute('aria-expanded',String(menu.getAttribute('aria-expanded')!=='true')));
for(const block of document.querySelectorAll('pre')){
  const button=document.createElement('button');button.type='button';button.className='copy';button.textContent='Copy';
  button.addEventListener('click',async()=>{await navigator.clipboard.writeText(block.querySelector('code').textContent);button.textContent='Copied';setTimeout(()=>{button.textContent='Copy';},1500);});
  block.append(button);
}
const field=document.querySelector('#search'),found=document.querySelector('#found');
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
