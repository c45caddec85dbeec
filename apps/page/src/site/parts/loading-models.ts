import { element } from '../build-element.js';
import type { ModelSummary } from '../server-interface.js';
import { skeleton } from './states.js';

/** Models on their way: how many bytes of how many have come, told as they come. */
export function loadingModels(models: readonly ModelSummary[]) {
  const total = models.reduce((sum, { bytes }) => sum + bytes, 0);
  const count = element('span', { class: 'small quiet' });
  const bar = element('progress', { max: total, 'aria-label': 'Bytes loaded' });
  let come = 0;
  const draw = () => {
    count.textContent = `${inMegabytes(come)} of ${inMegabytes(total)} MB`;
    bar.value = come;
  };
  draw();
  return {
    element: element(
      'section',
      { class: 'card' },
      element(
        'div',
        { class: 'head' },
        element(
          'h2',
          { role: 'status' },
          models.length === 1 ? 'Loading a model' : `Loading ${models.length} models`,
        ),
        count,
      ),
      bar,
      element('p', { class: 'small quiet' }, 'The last thing this page will ask the network for.'),
      skeleton(),
    ),
    /** So many bytes more. */
    came(bytes: number) {
      come = Math.min(total, come + bytes);
      draw();
    },
  };
}

/** "1.4", and "0.03" where it is less. */
function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  return megabytes >= 0.1 || bytes === 0 ? megabytes.toFixed(1) : megabytes.toFixed(2);
}
