import type Stripe from 'stripe';
import { type CardProvider, type SetupResult } from './provider';
import { asking } from './stripeCards';
import { acceptedBy } from './stripeDebits';
import { answering, isForScript, isRefused, reading, setupOf } from './stripeResults';
import { awaitsWallet } from './stripeWallets';
import { isConfirmationToken, payWith, splitToken, typesOf } from './stripeTokens';

type Setups = Pick<CardProvider, 'setUpCard' | 'lookUpSetup' | 'voidSetup'> &
  Required<Pick<CardProvider, 'findClientSecret' | 'setUpOnPage'>>;

interface SetupSettings {
  /** The page after that of the bank, if the request names none. */
  returnUrl: string;
  /** As in `payWith`. */
  hasScript: boolean;
}

/** Cards, mandates and agreements that are saved without a charge, through Stripe's Setup Intents. */
export function createSetups(client: Stripe, settings: SetupSettings): Setups {
  const { setupIntents, paymentIntents } = client;
  return {
    setUpCard: (token, returnUrl = settings.returnUrl) =>
      answering(async () => {
        const { customer, method, isLink } = splitToken(token);
        const intent: Stripe.SetupIntentCreateParams = {
          customer,
          ...payWith(method, settings.hasScript),
          allowed_payment_method_types: typesOf({ isLink }),
          confirm: true,
          usage: 'off_session',
          return_url: returnUrl,
        };
        return setupOf(await setupIntents.create(intent, keyOf(method)));
      }),

    setUpOnPage: (token, { method, acceptedFrom, returnUrl = settings.returnUrl }) =>
      answering(async () => {
        const { customer, method: payment_method } = splitToken(token);
        const intent: Stripe.SetupIntentCreateParams = {
          customer,
          payment_method,
          allowed_payment_method_types: [method],
          confirm: true,
          usage: 'off_session',
          return_url: returnUrl,
          mandate_data: acceptedBy(acceptedFrom),
        };
        return setupOf(await setupIntents.create(intent, { idempotencyKey: `setup:${payment_method}` }));
      }),

    lookUpSetup: (reference) => reading(async () => setupOf(await setupIntents.retrieve(reference, expandedAttempt))),

    voidSetup: (reference) =>
      reading(async () => {
        const result = setupOf(await setupIntents.retrieve(reference, expandedAttempt));
        return result.outcome === 'requires_action' ? cancel(client, reference) : result;
      }),

    async findClientSecret(reference) {
      const intent = await asking<Stripe.PaymentIntent | Stripe.SetupIntent>(() =>
        reference.startsWith('seti_') ? setupIntents.retrieve(reference) : paymentIntents.retrieve(reference),
      );
      const isForPage = isForScript(intent.next_action) || (intent.object === 'payment_intent' && awaitsWallet(intent));
      return isForPage ? (intent.client_secret ?? undefined) : undefined;
    },
  };
}

/** Only the attempt of a set-up tells the mandate that it has made. */
const expandedAttempt = { expand: ['latest_attempt'] };

/** A token for single use makes one set-up, also if the answer to the first request was lost. */
const keyOf = (method: string) => (isConfirmationToken(method) ? { idempotencyKey: `setup:${method}` } : {});

/** If the payer has authenticated the card before the cancellation, it stays verified. */
async function cancel(client: Stripe, reference: string): Promise<SetupResult> {
  try {
    return setupOf(await client.setupIntents.cancel(reference, { cancellation_reason: 'abandoned' }));
  } catch (error) {
    if (!isRefused(error)) throw error;
    const result = setupOf(await client.setupIntents.retrieve(reference, expandedAttempt));
    return result.outcome === 'requires_action' ? { outcome: 'unknown' } : result;
  }
}
