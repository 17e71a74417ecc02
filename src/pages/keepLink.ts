import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { unixSeconds } from '../kit/time';
import { type KeptPlan } from '../subscriptions/mailLinks/keepLinks';
import { type Home } from './customer/home';
import { submit } from './layout/forms';
import { plainTexts } from './layout/plain';
import { linkPage, outcomePage } from './customer/mailLinkPages';

/** A button undoes the cancellation, so that a mail scanner that follows the link changes nothing. */
export function keptPlanPage(request: RequestFacts, home: Home, plan: KeptPlan) {
  const { t, date, money } = plainTexts(request);
  if (plan.state !== 'canceled') {
    const { title, text } = outcomes[plan.state];
    return outcomePage(request, home, { title: t(title), text: t(text) });
  }
  const { description, endsAt } = plan;
  const amount = money(plan.amount, plan.currency);
  const hint = endsAt !== null && html`<p>${t('links.keepHint', { date: date(unixSeconds(endsAt)) })}</p>`;
  return linkPage(
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

const outcomes = {
  kept: { title: 'links.kept', text: 'links.keptHint' },
  cardless: { title: 'links.keep', text: 'links.keepCard' },
  closed: { title: 'links.keepClosed', text: 'links.keepClosedHint' },
} as const;
