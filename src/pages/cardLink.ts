import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { type LinkedCard } from '../subscriptions/mailLinks/cardLinks';
import { cardLabels, meansText, newCardFields } from './customer/cards';
import { type Home } from './customer/home';
import { type Complaint } from './layout/explain';
import { complaints, submit } from './layout/forms';
import { plainTexts } from './layout/plain';
import { linkPage, outcomePage } from './customer/mailLinkPages';

/** The form for another card. `complaint`: the errors of the last attempt. */
export function cardLinkPage(request: RequestFacts, home: Home, card: LinkedCard, complaint?: Complaint) {
  if (card.state !== 'open') return settledPage(request, home, card);
  const texts = plainTexts(request);
  const { t } = texts;
  const { description, currency, method, cardDigits, isOverdue, entry } = card;
  const present = method !== null && meansText(texts, method, cardDigits);
  const overdue = isOverdue && html`<p>${t('links.cardChangeOverdue')}</p>`;
  return linkPage(
    request,
    { title: t('links.cardChange'), theme: home.theme, paymentForm: entry.form },
    html`<div class="tight">
        <p class="strong"><bdi>${description}</bdi></p>
        ${present && html`<p class="quiet small">${present}</p>`}
      </div>
      <p>${t('links.cardChangeHint', { currency })}</p>
      ${overdue}
      <form method="post" class="stack" novalidate>
        ${complaints(texts, complaint, cardLabels(texts, entry))}
        ${newCardFields(texts, { entry, purpose: { amount: 0, currency }, complaint, name: undefined })}
        ${entry.isPossible && submit(t('portal.card.save'), { isFull: true })}
      </form>`,
  );
}

function settledPage(request: RequestFacts, home: Home, { state, isOverdue }: LinkedCard) {
  const { t } = plainTexts(request);
  const isChanged = state === 'changed';
  const title = t(isChanged ? 'links.cardChanged' : 'links.cardLinkClosed');
  const text = t(isChanged ? 'links.cardChangedHint' : 'links.cardLinkClosedHint');
  return outcomePage(request, home, { title, text, more: isChanged && isOverdue && t('links.cardChangedOverdue') });
}
