import { type z } from 'zod';
import { Answer } from '../kit/endpoint';
import { type StoredCard } from './cards.model';
import { type WaitingCard } from './cards.schemas';

type Recognisable = Pick<StoredCard, 'lastFour' | 'holderName' | 'expiryMonth' | 'expiryYear'>;

/** The last four digits are a number, so a card that ends in 0042 loses its zeros. Link has no number and no expiry date. */
export function presentTypedCard(card: Recognisable) {
  return {
    number: Number(card.lastFour),
    card_name: card.holderName,
    exp_month: card.expiryMonth === null ? '' : String(card.expiryMonth).padStart(2, '0'),
    exp_year: String(card.expiryYear ?? ''),
  };
}

/** A card that cannot be used until its payer has authenticated it. */
export function presentWaitingCard(card: Recognisable, action: { redirectUrl: string; reference: string }) {
  const waits = { status: 'requires_action' as const, redirect_to_url: action.redirectUrl, pi_id: action.reference };
  return new Answer<z.output<typeof WaitingCard>>({ ...presentTypedCard(card), ...waits }, { isPending: true });
}

export function presentDefaultCard(card: StoredCard) {
  const { brand, accountId, currency } = card;
  return { ...presentTypedCard(card), card_type: brand, account_id: accountId, currency };
}

export function presentTool(card: StoredCard) {
  const { id, brand, currency } = card;
  return { id, ...presentTypedCard(card), card_type: brand, currency, is_default: currency !== '' };
}
