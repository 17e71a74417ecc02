import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { confirmButton, form, submit } from '../../layout/forms';
import { icon } from '../../layout/icons';
import { type Texts } from '../../layout/texts';
import { folded } from '../frame';
import { place } from './place';

/** Buttons, and what asks or folds. */

const kinds = ['main', 'other', 'danger', 'slim', 'plain'] as const;

export function actions(visit: Visit, { t }: Texts): Html {
  const buttons = kinds.map((kind) => submit(t(`console.styleguide.${kind}`), { kind }));
  const more = html`<button type="submit" class="main" disabled>${t('console.styleguide.disabled')}</button>
    ${submit(html`${icon('plus')}${t('console.styleguide.withIcon')}`)}
    <a class="button" href="${place}">${icon('next')}${t('console.styleguide.asLink')}</a>
    <a class="button main offer" href="${place}">${t('console.styleguide.offer')}</a>`;
  const question = (isOpen: boolean, isDangerous: boolean) =>
    confirmButton(visit, {
      action: place,
      label: t('console.styleguide.delete'),
      question: t('console.styleguide.question'),
      isDangerous,
      isOpen,
    });
  return html`<div class="card stack">
      ${form(visit, { action: place, content: html`${buttons} ${more}`, className: 'row' })}
      ${form(visit, { action: place, content: submit(t('console.styleguide.full'), { isFull: true }) })}
      <a class="button full" href="${place}">${t('console.styleguide.asLink')}</a>
      <p class="row middle small"><a href="${place}">${t('console.styleguide.textLink')}</a></p>
      <p class="divider">${t('paywall.or')}</p>
      <div class="row">${question(false, true)} ${question(true, true)} ${question(true, false)}</div>
    </div>
    ${folded(t('console.styleguide.folded'), html`<p>${t('console.styleguide.sample')}</p>`, false)}
    ${folded(t('console.styleguide.unfolded'), html`<p>${t('console.styleguide.sample')}</p>`, true)}`;
}
