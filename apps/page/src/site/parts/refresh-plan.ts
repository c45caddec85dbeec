import { button, element } from '../build-element.js';

/** How often, as the table of cron says it: at three in the night. */
const schedules: Readonly<Record<number, string>> = { 52: '0 3 * * 1', 12: '0 3 1 * *', 4: '0 3 1 */3 *' };

/** The line for a timer that keeps a plan; nothing is started from here. */
export function refreshLine(
  plan: { readonly epsilon: number; readonly timesAYear: number },
  dataset: string,
  model: string,
): string {
  return `${schedules[plan.timesAYear]} hushrec refresh ${dataset} --model models/${model} --epsilon ${plan.epsilon}`;
}

/**
 * A plan to be kept by the timer of the computer that trains: its line, to copy. It trains where ratings are
 * new, spends nothing where none are, and is refused where the grant would be exceeded.
 */
export function refreshPlan(line: () => string): HTMLElement {
  const shown = element('div', { hidden: true });
  const use = button('Use as refresh plan', () => {
    const code = element('code', {}, line());
    const copied = element('span', { class: 'small quiet', role: 'status' });
    shown.replaceChildren(
      element(
        'p',
        { class: 'small' },
        'For the crontab of the computer that trains, in the folder of data and models. It trains where ratings are new, spends nothing where none are, and the grant refuses what is too much.',
      ),
      element('p', { class: 'notice' }, code),
      element(
        'p',
        { class: 'row' },
        button('Copy', async () => {
          await navigator.clipboard.writeText(code.textContent ?? '').then(
            () => (copied.textContent = 'Copied.'),
            () => getSelection()?.selectAllChildren(code),
          );
        }),
        copied,
      ),
    );
    shown.hidden = false;
  });
  use.className = 'primary';
  return element('div', { class: 'refresh-plan' }, element('p', {}, use), shown);
}
