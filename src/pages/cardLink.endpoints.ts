import { z } from 'zod';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { formText } from '../kit/form';
import {
  changeCardByLink,
  continueCardByLink,
  findCardLinkMerchant,
  findLinkedCard,
} from '../subscriptions/mailLinks/cardLinks';
import { cardLinkPage } from './cardLink';
import { homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { explain } from './layout/explain';
import { plainTexts } from './layout/plain';
import { homeOfLink, mailLinkPage, redirectTo } from './customer/mailLinkPages';

/** The page behind the link in a mail about a card that expires or was declined. */
const page = {
  ...mailLinkPage(findCardLinkMerchant),
  path: '/payments/card/{token}',
  refusal: (error: AppError, { token = '' }: Record<string, string>, request: RequestFacts) =>
    refuse(error, token, request),
} as const;

const text = z.string().max(500).optional();

/** The fields of a card, or the token of the provider's form. */
const CardForm = z.object({
  number: text,
  card_name: text,
  exp_month: text,
  exp_year: text,
  cvv: text,
  payment_token: text,
});

const errors = ['payment_not_found', 'merchant_not_open', 'payment_failed'] as const;

export const cardLinkEndpoints = {
  showCardLink: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a customer enters another card for a subscription, without a password',
    // The bank adds the reference after the payer has authenticated the card.
    query: z.object({ setup_intent: formText({ max: 100 }).optional() }),
    errors,
    handler: async ({ params: { token }, query: { setup_intent: reference }, request }) => {
      if (reference !== undefined) await continueCardByLink(token, reference, request.requestId);
      return show(token, request);
    },
  }),
  submitCardLink: endpoint({
    ...page,
    method: 'post',
    status: 303,
    summary: 'Saves the card, and charges an overdue amount',
    body: CardForm,
    cardNumberFields: ['number'],
    errors: [...errors, 'provider_misconfigured', 'missing_parameter'],
    handler: async ({ params: { token }, body, request }) => {
      const bankUrl = await changeCardByLink(token, body, request.requestId);
      return redirectTo(bankUrl ?? `/payments/card/${token}`);
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const card = await findLinkedCard(token);
  if (!card) throw new AppError('payment_not_found');
  return cardLinkPage(request, await homeOf(card.merchantUuid, request), card);
}

/** The form again, if the card is the reason. A refused card counts as a failed attempt, so that cards are not tried out. */
async function refuse(error: AppError, token: string, request: RequestFacts) {
  const home = await homeOfLink(token, request, findCardLinkMerchant);
  const isOfCard = home !== noHome && [400, 402, 422].includes(error.status);
  const card = isOfCard ? await findLinkedCard(token) : undefined;
  if (!card) return refusalPage(error, request, home);
  return cardLinkPage(request, home, card, explain(plainTexts(request), error));
}
