import { describeProtection } from '@hushrec/privacy';
import { formatNumber } from '@hushrec/report';
import { element, listening } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import { type LoadedModel, listBroken, listModels, loadModel } from '../model-library.js';
import { dataTable } from '../parts/data-table.js';
import { empty, failure, loading } from '../parts/states.js';

/** One model's promise: in words, release by release, and recomputed here. */
export async function certificateView(
  place: HTMLElement,
  model: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  place.append(
    element('h1', {}, 'Certificate'),
    element(
      'p',
      { class: 'lead' },
      'What a model promises, what that rests on, and whether it adds up, checked by your own browser.',
    ),
  );
  const waiting = loading('Loading models');
  place.append(waiting);
  const [models, broken] = await Promise.all([listModels(), listBroken()]);
  waiting.remove();
  if (signal.aborted) return;
  for (const { id, problem } of broken) {
    place.append(
      element('p', { class: 'notice bad' }, element('strong', {}, `${id} is not published. `), problem),
    );
  }
  if (models.length === 0) {
    place.append(empty('No models yet', 'A certificate comes with every trained model.'));
    return;
  }
  const chosen =
    models.find(({ id }) => id === model) ?? models.find(({ epsilon }) => epsilon !== null) ?? models[0]!;
  const choice = element(
    'select',
    {},
    models.map(({ id }) => element('option', { value: id, selected: id === chosen.id }, id)),
  );
  listening(choice, { change: () => location.assign(`#/certificate/${encodeURIComponent(choice.value)}`) });
  const body = element('div');
  place.append(element('label', { class: 'field' }, 'Model', choice), body);
  body.append(loading(`Loading ${chosen.id}`));
  try {
    const loadedModel = await loadModel(chosen);
    if (!signal.aborted) body.replaceChildren(...certificateParts(loadedModel, signal));
  } catch (error) {
    body.replaceChildren(failure(error));
  }
}

function certificateParts(model: LoadedModel, signal: AbortSignal): HTMLElement[] {
  const { summary, published } = model;
  const { certificate } = published;
  const facts: [string, string][] = [
    ['Method', certificate.method],
    ['Published', certificate.released],
    ['δ', certificate.epsilon === null ? '–' : formatNumber(certificate.delta)],
    ['Accountant', certificate.accountant],
    ['Settings chosen', certificate.tuning],
    ['Account', certificate.account],
    ['Items', certificate.catalogue],
    ['Ledger entry', certificate.ledgerEntry ?? 'none'],
    ['Made with', certificate.codeVersion],
    ['Signed by', certificate.signature?.publicKey ?? 'nobody'],
  ];
  return [
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'promise' },
      element('h2', { id: 'promise' }, 'The promise'),
      element('p', {}, guaranteeChip(summary)),
      ...promiseSentences(model).map((sentence) => element('p', {}, sentence)),
      element(
        'dl',
        { class: 'facts' },
        facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
      ),
      element(
        'p',
        { class: 'row downloads' },
        element(
          'a',
          {
            class: 'button',
            href: `/models/${encodeURIComponent(summary.id)}/certificate.json`,
            download: `${summary.id}-certificate.json`,
          },
          'Download certificate.json',
        ),
      ),
    ),
    verification(model, signal),
    element(
      'section',
      { class: 'card', 'aria-labelledby': 'releases' },
      element('h2', { id: 'releases' }, 'Every release'),
      element(
        'p',
        { class: 'small quiet' },
        'Nothing else about people left the training run. Sensitivity bounds what one protected unit can change; the ratio of noise to it is what protects.',
      ),
      dataTable(
        {
          columns: [
            { label: 'release' },
            { label: 'mechanism' },
            { label: 'sensitivity' },
            { label: 'noise' },
            { label: 'noise ÷ sensitivity' },
            { label: 'times' },
          ],
          rows: certificate.releases.map(({ name, mechanism, sensitivity, noise, count }) => [
            name,
            mechanism,
            sensitivity,
            noise,
            sensitivity > 0 ? noise / sensitivity : null,
            count,
          ]),
        },
        'Table of releases',
      ),
      certificate.releases.length === 0
        ? element('p', { class: 'quiet' }, 'None: this model was trained without noise.')
        : null,
    ),
  ];
}

function promiseSentences({ published }: LoadedModel): string[] {
  const { certificate } = published;
  if (certificate.epsilon === null || certificate.unit === 'none' || certificate.relation === 'none') {
    return [
      'This model gives no privacy guarantee. It is here for comparison; treat it as if it were the data.',
    ];
  }
  const sentences = [
    `Protected is ${describeProtection(certificate.unit, certificate.relation)}. Whatever someone concludes from this model, the probability of that conclusion is at most e^ε ≈ ${formatNumber(Math.exp(certificate.epsilon))} times what it would have been otherwise, plus δ = ${formatNumber(certificate.delta)}.`,
  ];
  if (certificate.simulation) {
    sentences.push(
      'But: this was a simulation. A seed was used, so the noise can be recomputed and nobody is protected.',
    );
  }
  if (certificate.claimedByPaper !== undefined) {
    sentences.push(
      `The paper of this method claims “${certificate.claimedByPaper.claim}”. ${certificate.claimedByPaper.why}`,
    );
  }
  return sentences;
}

/** Recomputes everything from the files this tab holds. The accountants are loaded only for this page. */
function verification(model: LoadedModel, signal: AbortSignal): HTMLElement {
  const result = element('div', { 'aria-live': 'polite' }, loading('Recomputing the guarantee in this tab'));
  const verify = async () => {
    try {
      const { verifyFiles } = await import('../verify-files.js');
      const { ok, checks, warnings } = await verifyFiles(model.files);
      if (signal.aborted) return;
      result.replaceChildren(
        element(
          'p',
          {},
          element(
            'span',
            { class: `chip ${ok ? 'good' : 'bad'}` },
            ok ? '✓ Everything adds up' : '✗ Do not trust this model',
          ),
        ),
        ...warnings.map((warning) => element('p', { class: 'notice warn' }, warning)),
        element(
          'ul',
          { class: 'checks' },
          checks.map((check) =>
            element(
              'li',
              { class: check.ok ? 'ok' : 'failed' },
              element(
                'span',
                { class: 'mark', role: 'img', 'aria-label': check.ok ? 'passed' : 'failed' },
                check.ok ? '✓' : '✗',
              ),
              element('span', {}, element('strong', {}, check.name), ` ${check.detail}`),
            ),
          ),
        ),
      );
    } catch (error) {
      if (!signal.aborted) result.replaceChildren(failure(error));
    }
  };
  void verify();
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'verified' },
    element('h2', { id: 'verified' }, 'Verified in this browser'),
    result,
  );
}
