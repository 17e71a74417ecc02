import { now } from '../../adapters/clock';
import { cardProvider } from '../../adapters/cardProviders';
import { type CardToken } from '../../adapters/cardProviders/provider';
import { type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { Card } from './model';
import { type CardInput } from './schemas';

/** Hands the typed card to the provider; from here on only its token exists. */
export async function tokeniseCard(input: CardInput): Promise<CardToken> {
  const { exp_year: expiryYear, exp_month: expiryMonth } = input;
  if (Date.UTC(expiryYear, expiryMonth) <= now().getTime())
    throw new AppError('invalid_input', { errors: { exp_year: 'The exp_year must not be in the past.' } });
  return cardProvider.tokenise({
    number: input.number,
    holderName: input.card_name,
    expiryMonth,
    expiryYear,
    securityCode: input.cvv,
  });
}

export async function saveCard(inTransaction: Transaction, caller: Caller, token: CardToken): Promise<number> {
  const { merchantId, accountId } = caller;
  const card = await Card.create(
    { ...token, merchantId, accountId, provider: cardProvider.name },
    { transaction: inTransaction },
  );
  return card.id;
}

/** The card that pays when a request names none: the one used last. */
export async function findDefaultCard(caller: Caller): Promise<Card | null> {
  const { merchantId, accountId } = caller;
  return Card.findOne({ where: { merchantId, accountId, provider: cardProvider.name }, order: [['id', 'DESC']] });
}
