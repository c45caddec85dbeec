// The Markdown that the documents use: headings, paragraphs, lists, tables, code, quotes, links, pictures,
// emphasis. Text is escaped first, so nothing in a document becomes markup by accident.

/** @param link gives the address of a link on the site, or undefined where the target is not on it. */
export function markdownPage(text, link) {
  const lines = text.split('\n');
  const out = [];
  let at = 0;
  const paragraph = [];
  const flush = () => {
    if (paragraph.length > 0) out.push(`<p>${inline(paragraph.join(' '), link)}</p>`);
    paragraph.length = 0;
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.startsWith('```')) {
      flush();
      const end = lines.indexOf('```', at + 1);
      const code = lines.slice(at + 1, end === -1 ? undefined : end).join('\n');
      out.push(`<pre tabindex="0"><code>${highlighted(code, line.slice(3).trim())}</code></pre>`);
      at = end === -1 ? lines.length : end + 1;
    } else if (heading !== null) {
      flush();
      const level = heading[1].length;
      out.push(`<h${level} id="${anchorOf(heading[2])}">${inline(heading[2], link)}</h${level}>`);
      at++;
    } else if (line.startsWith('|')) {
      flush();
      const rows = [];
      while (lines[at]?.startsWith('|')) rows.push(cells(lines[at++]));
      out.push(table(rows, link));
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      flush();
      const items = [];
      const isOrdered = /^\s*\d/.test(line);
      while (at < lines.length && lines[at].trim() !== '' && !lines[at].startsWith('#')) {
        if (/^\s*([-*]|\d+\.) /.test(lines[at])) items.push(lines[at].replace(/^\s*([-*]|\d+\.) /, ''));
        else items[items.length - 1] += ` ${lines[at].trim()}`;
        at++;
      }
      const tag = isOrdered ? 'ol' : 'ul';
      out.push(`<${tag}>${items.map((item) => `<li>${inline(item, link)}</li>`).join('')}</${tag}>`);
    } else if (line.startsWith('>')) {
      flush();
      const quoted = [];
      while (lines[at]?.startsWith('>')) quoted.push(lines[at++].replace(/^> ?/, ''));
      out.push(`<blockquote>${markdownPage(quoted.join('\n'), link)}</blockquote>`);
    } else if (/^<!--.*-->$/.test(line)) {
      at++;
    } else if (/^<details><summary>[\w ]+<\/summary>$|^<\/details>$/.test(line)) {
      flush();
      out.push(line);
      at++;
    } else {
      if (line.trim() === '') flush();
      else paragraph.push(line.trim());
      at++;
    }
  }
  flush();
  return out.join('\n');
}

/** Headings of the second level, for the contents of a page. */
export function sectionsOf(text) {
  const plain = text.replace(/^```.*?^```$/gms, '');
  return [...plain.matchAll(/^## (.*)$/gm)].map(([, heading]) => ({
    anchor: anchorOf(heading),
    heading: heading.replace(/[`*]/g, '').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1'),
  }));
}

const comments = { sh: /#.*$/, python: /#.*$/, nginx: /#.*$/, ini: /[#;].*$/, ts: /\/\/.*$/, js: /\/\/.*$/ };
const keywords =
  /^(?:import|from|export|const|let|await|async|function|return|new|for|of|if|else|as|def|print|with)$/;

/** Comments, texts, options and keywords stand out; everything else is as it was written. */
function highlighted(code, language) {
  const comment = comments[language];
  if (comment === undefined) return escaped(code);
  const token = new RegExp(
    `(?<text>'[^'\\n]*'|"[^"\\n]*"|\`[^\`]*\`)|(?<comment>(?<![^\\s])${comment.source})|(?<option>(?<= )--?[a-zA-Z][\\w-]*)|(?<word>[A-Za-z_]+)`,
    'gm',
  );
  let out = '';
  let from = 0;
  for (const match of code.matchAll(token)) {
    const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    const isPlain = kind === 'word' && (language === 'sh' || !keywords.test(match[0]));
    if (isPlain || (kind === 'option' && language !== 'sh')) continue;
    out += `${escaped(code.slice(from, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    from = match.index + match[0].length;
  }
  return out + escaped(code.slice(from));
}

/** As the search makes them. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

function cells(row) {
  return row
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function table([head, second, ...rest], link) {
  const hasRule = second?.every((cell) => /^:?-+:?$/.test(cell));
  const rows = hasRule ? rest : [second, ...rest].filter(Boolean);
  const row = (tag) => (each) =>
    `<tr>${each.map((cell) => `<${tag}>${inline(cell, link)}</${tag}>`).join('')}</tr>`;
  const header = head.every((cell) => cell === '') ? '' : `<thead>${row('th')(head)}</thead>`;
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>${header}<tbody>${rows.map(row('td')).join('')}</tbody></table></div>`;
}

function inline(text, link) {
  const kept = [];
  const keep = (markup) => `\uE000${kept.push(markup) - 1}\uE000`;
  // Flags and names stay on one line; the browser would break them at their hyphens.
  let out = text.replace(/`([^`]+)`/g, (_, code) =>
    keep(`<code${/^\S{1,20}$/.test(code) ? ' class="short"' : ''}>${escaped(code)}</code>`),
  );
  out = out.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, alt, to) => {
    const address = link(to);
    return address === undefined
      ? escaped(alt)
      : keep(`<img src="${escaped(address)}" alt="${escaped(alt)}" loading="lazy">`);
  });
  out = out.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words, to) => {
    const address = link(to);
    return address === undefined ? words : `${keep(`<a href="${escaped(address)}">`)}${words}${keep('</a>')}`;
  });
  out = escaped(out)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\p{L}\p{N}*])\*([^*\s][^*]*)\*(?![\p{L}\p{N}])/gu, '<em>$1</em>');
  return out.replace(/\uE000(\d+)\uE000/g, (_, number) => kept[Number(number)]);
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
