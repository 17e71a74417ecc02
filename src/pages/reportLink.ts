import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { noHome } from './customer/home';
import { linkPage } from './customer/mailLinkPages';
import { submit } from './layout/forms';
import { plainTexts } from './layout/plain';

/** A button ends the mails, so that a mail scanner that follows the link changes nothing. */
export function reportStopPage(request: RequestFacts) {
  const { t } = plainTexts(request);
  return linkPage(
    request,
    { title: t('links.reportStop'), theme: noHome.theme },
    html`<p>${t('links.reportStopHint')}</p>
      <form method="post">${submit(t('links.reportStopNow'), { isFull: true })}</form>`,
  );
}

export function reportsStoppedPage(request: RequestFacts) {
  const { t } = plainTexts(request);
  const frame = { title: t('links.reportStopped'), theme: noHome.theme };
  return linkPage(request, frame, html`<p>${t('links.reportStoppedHint')}</p>`);
}

/** Two buttons, so that a mail scanner that follows the link answers nothing. */
export function reportConfirmationPage(request: RequestFacts) {
  const { t } = plainTexts(request);
  const button = (value: 'confirm' | 'decline', text: string, kind: 'main' | 'other') =>
    submit(text, { name: 'answer', value, kind, isFull: true });
  return linkPage(
    request,
    { title: t('links.reportConfirm'), theme: noHome.theme },
    html`<p>${t('links.reportConfirmHint')}</p>
      <form method="post" class="stack">
        ${button('confirm', t('links.reportConfirmNow'), 'main')}
        ${button('decline', t('links.reportDeclineNow'), 'other')}
      </form>`,
  );
}

export function reportAnsweredPage(answer: 'confirm' | 'decline', request: RequestFacts) {
  if (answer === 'decline') return reportsStoppedPage(request);
  const { t } = plainTexts(request);
  const frame = { title: t('links.reportConfirmed'), theme: noHome.theme };
  return linkPage(request, frame, html`<p>${t('links.reportConfirmedHint')}</p>`);
}
