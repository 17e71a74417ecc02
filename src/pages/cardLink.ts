import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { isTestEnvironment } from '../platform';
import { type LinkedCard } from '../subscriptions/mailLinks/cardLinks';
import { cardLabels, newCardFields } from './customer/cards';
import { type Home, continueButton } from './customer/home';
import { type Complaint } from './layout/explain';
import { complaints, submit } from './layout/forms';
import { picturesAllowed, type PlainFrame, plainPage, plainTexts } from './layout/plain';

/** The form for another card. `complaint`: the errors of the last attempt. */
export function cardLinkPage(request: RequestFacts, home: Home, card: LinkedCard, complaint?: Complaint) {
  if (card.state !== 'open') return settledPage(request, home, card);
  const texts = plainTexts(request);
  const { t } = texts;
  const { description, currency, cardDigits, isOverdue, entry } = card;
  const present = cardDigits !== null && t('paywall.savedCard', { type: t('paywall.card'), digits: cardDigits });
  const overdue = isOverdue && html`<p>${t('links.cardChangeOverdue')}</p>`;
  return page(
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

function settledPage(request: RequestFacts, { theme, linkTo }: Home, { state, isOverdue }: LinkedCard) {
  const { t } = plainTexts(request);
  const isChanged = state === 'changed';
  const title = t(isChanged ? 'links.cardChanged' : 'links.cardLinkClosed');
  const content = html`<p>${t(isChanged ? 'links.cardChangedHint' : 'links.cardLinkClosedHint')}</p>
    ${isChanged && isOverdue && html`<p>${t('links.cardChangedOverdue')}</p>`}
    ${continueButton(linkTo?.('sign-in'), t('paywall.manage'))}`;
  return page(request, { title, theme }, content);
}

function page(request: RequestFacts, frame: PlainFrame, content: Html) {
  return plainPage(
    request,
    { ...frame, isTest: isTestEnvironment, allows: [picturesAllowed] },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
