import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { unixSeconds } from '../kit/time';
import { type KeptPlan } from '../subscriptions/mailLinks/keepLinks';
import { type Home, continueButton } from './customer/home';
import { submit } from './layout/forms';
import { picturesAllowed, type PlainFrame, plainPage, plainTexts } from './layout/plain';

/** A button takes the cancellation back, so that a mail scanner that follows the link changes nothing. */
export function keptPlanPage(request: RequestFacts, home: Home, plan: KeptPlan) {
  if (plan.state !== 'canceled') return settledPage(request, home, plan);
  const { t, date } = plainTexts(request);
  const { description, amount, endsAt } = plan;
  const hint = endsAt !== null && html`<p>${t('links.keepHint', { date: date(unixSeconds(endsAt)) })}</p>`;
  return page(
    request,
    { title: t('links.keep'), theme: home.theme },
    html`${hint}
      <dl class="stat">
        <dt><bdi>${description}</bdi></dt>
        <dd><bdi>${amount}</bdi></dd>
      </dl>
      <p class="quiet">${t('links.keepTerms', { amount })}</p>
      <form method="post">${submit(t('links.keepNow'), { isFull: true })}</form>`,
  );
}

const settled = {
  kept: { title: 'links.kept', text: 'links.keptHint' },
  cardless: { title: 'links.keep', text: 'links.keepCard' },
  closed: { title: 'links.keepClosed', text: 'links.keepClosedHint' },
} as const;

function settledPage(request: RequestFacts, { theme, linkTo }: Home, { state }: KeptPlan) {
  const { t } = plainTexts(request);
  const { title, text } = settled[state === 'canceled' ? 'closed' : state];
  const content = html`<p>${t(text)}</p>
    ${continueButton(linkTo?.('sign-in'), t('paywall.manage'))}`;
  return page(request, { title: t(title), theme }, content);
}

function page(request: RequestFacts, frame: PlainFrame, content: Html) {
  return plainPage(
    request,
    { ...frame, allows: [picturesAllowed] },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
