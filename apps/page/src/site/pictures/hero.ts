import { svgElement } from '../build-element.js';
import { dotStream } from './dots.js';

/** From single people, who are lost in the noise, to what many share, which is still there. */
export function heroPicture(): SVGSVGElement {
  const random = dotStream(7);
  const dots: string[] = [];
  const [columns, rows, width, height] = [27, 15, 430, 240];
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++) {
      const order = column / (columns - 1);
      const shake = (1 - order) ** 1.5 * 15;
      const x = 10 + (column / (columns - 1)) * (width - 20) + (random() - 0.5) * 2 * shake;
      const y = 8 + (row / (rows - 1)) * (height - 16) + (random() - 0.5) * 2 * shake;
      const crest = height * (0.72 - 0.5 * Math.sin(Math.PI * Math.min(1, order * 0.92) ** 1.6));
      const distance = Math.abs(8 + (row / (rows - 1)) * (height - 16) - crest);
      const isShared = order > 0.32 && distance < 12 + 26 * order ** 2;
      const size = isShared ? 2.4 + 2.6 * order : 1 + 1.9 * (1 - order) * random() + 0.5 * random();
      const opacity = isShared ? 0.55 + 0.45 * order : 0.8 - 0.45 * order;
      dots.push(
        `<circle class="${isShared ? 'signal' : 'noise'}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${size.toFixed(1)}" opacity="${opacity.toFixed(2)}"/>`,
      );
    }
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="hero-dots" viewBox="0 0 ${width} ${height}" role="img" aria-label="Dots: single people are scattered noise on the left; on the right what many share forms a shape.">${dots.join('')}</svg>`,
  );
}
