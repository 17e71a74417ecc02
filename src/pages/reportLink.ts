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
