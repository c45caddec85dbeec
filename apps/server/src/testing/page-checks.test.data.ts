import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds fault with on the page as it is now, in words. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    return (await axe.run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
    );
  });
}

/** How far the page can be scrolled sideways: nothing may be cut off. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Interactive things that are too small for a finger: the thing itself, or the label it belongs to. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('a, button, select, summary, input')]
      .map((each) => (each.matches('input') ? (each.closest('label') ?? each) : each))
      .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches('.skip'))
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
      .map(({ each, box }) => `${each.outerHTML.slice(0, 90)} ${box.width}×${box.height}`),
  );
}

/** Text smaller than 11 px as it is drawn: letters in a picture shrink with the picture. */
export function tinyText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Map<string, string>();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent!.trim();
      const parent = node.parentElement!;
      if (text === '' || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        continue;
      const box = parent.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const matrix = parent instanceof SVGGraphicsElement ? parent.getScreenCTM() : null;
      const scale = matrix === null ? 1 : Math.hypot(matrix.a, matrix.b);
      const size = Number.parseFloat(getComputedStyle(parent).fontSize) * scale;
      // Initials on drawn covers are pictures of a letter, not words.
      if (size < 10.95 && parent.closest('.poster') === null)
        found.set(text.slice(0, 40), `${size.toFixed(1)} px: ${text.slice(0, 40)}`);
    }
    return [...found.values()];
  });
}

/** Interactive things that something else lies over once they are scrolled to the middle. */
export function coveredTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    for (const each of document.querySelectorAll<HTMLElement>(
      'main :is(a, button, select, summary, input)',
    )) {
      const target = each.matches('input') ? (each.closest('label') ?? each) : each;
      if (!target.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      target.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      // The first line of a link may be anywhere in its box.
      const box = [...target.getClientRects()].find(({ width, height }) => width > 1 && height > 1);
      if (box === undefined) continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (x < 0 || x > innerWidth || y < 0 || y > innerHeight) {
        faults.push(`out of sight: ${target.outerHTML.slice(0, 120)}`);
        continue;
      }
      const there = document.elementFromPoint(x, y);
      if (there === null || (!target.contains(there) && !there.contains(target)))
        faults.push(`covered by ${there?.outerHTML.slice(0, 60)}: ${target.outerHTML.slice(0, 120)}`);
    }
    scrollTo(0, 0);
    return faults;
  });
}

const cell = 30;

/**
 * What the screen looks like from afar: mean brightness of squares of 30 pixels, a letter from a (dark) to z
 * (light) each, row by row. Text is a grey; a card that is gone, a colour or a column that moved is not the
 * same.
 */
export async function seenFromAfar(page: Page, blank: Page): Promise<string[]> {
  const picture = (await page.screenshot({ animations: 'disabled' })).toString('base64');
  return blank.evaluate(
    async ({ data, size }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const [columns, rows] = [Math.floor(image.width / size), Math.floor(image.height / size)];
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(image, 0, 0);
      return Array.from({ length: rows }, (_, row) =>
        Array.from({ length: columns }, (_, column) => {
          const { data: pixels } = context.getImageData(column * size, row * size, size, size);
          let sum = 0;
          for (let at = 0; at < pixels.length; at += 4)
            sum += 0.3 * pixels[at] + 0.6 * pixels[at + 1] + 0.1 * pixels[at + 2];
          return String.fromCharCode(97 + Math.round((25 * sum) / (255 * size * size)));
        }).join(''),
      );
    },
    { data: picture, size: cell },
  );
}

/** Share of squares that differ by more than two steps of 26. */
export function differenceOf(a: readonly string[], b: readonly string[]): number {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) return 1;
  const differs = a.flatMap((row, r) =>
    [...row].map((letter, c) => Math.abs(letter.charCodeAt(0) - b[r].charCodeAt(c)) > 2),
  );
  return differs.filter(Boolean).length / differs.length;
}
