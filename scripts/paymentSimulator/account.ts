import {
  type BankAnswer,
  type SentCharge,
  type SentRefund,
  type WireAuthentication,
  type WireCard,
  type WireCharge,
  type WireSetup,
} from '../../src/adapters/cardProviders/sandboxWire';
import { type PageMethod } from '../../src/adapters/cardProviders/redirects';
import { createBalance, type WantedPayout } from './balance';
import { type Books } from './books';
import { createDebits } from './debits';
import { createDisputes } from './disputes';
import { createFormTokens } from './formTokens';
import { createLedger, type SandboxCharge } from './ledger';
import { createRedirects } from './redirects';
import { createRefunds } from './refunds';
import { InvalidField, NoAnswer, Refusal } from './refusal';
import { createSetups, type SandboxSetup } from './setups';
import { sandboxCards, type SandboxCard, type SandboxOutcome } from './testCards';
import { checkAmount, paid, refusalOf, setupAnswers, triesOf, withoutPayer } from './outcomes';

export interface TypedCard {
  number: string;
  holderName: string;
  expiryMonth: number;
  expiryYear: number;
}

export type Account = ReturnType<typeof createAccount>;

/** One account at the simulated provider: its cards, its charges and what becomes of them. No function waits. */
export function createAccount(books: Books) {
  const ledger = createLedger(books);
  const balance = createBalance(books);
  const setups = createSetups(books);
  const refunds = createRefunds(books);
  const redirects = createRedirects(books);
  const disputes = createDisputes(books);
  const formTokens = createFormTokens(books);
  const { submit, decide, createMandate, findReturn } = createDebits(books);

  const addCard = (card: SandboxCard, typed: Omit<TypedCard, 'number'>): WireCard => ({
    token: ledger.addCard(card),
    lastFour: card.number.slice(-4),
    brand: 'visa',
    holderName: typed.holderName,
    expiryMonth: typed.expiryMonth,
    expiryYear: typed.expiryYear,
    fingerprint: fingerprintOf({ ...typed, number: card.number }),
  });

  const addLink = (): WireCard => {
    const token = ledger.addCard({ ...linkCard, description: '' });
    const printed = { lastFour: '', brand: 'link', expiryMonth: null, expiryYear: null, fingerprint: token };
    return { method: 'link', token, holderName: formCard.holderName, ...printed };
  };

  const lookUpCharge = (idempotencyKey: string, at?: string): WireCharge => {
    decide(idempotencyKey, at);
    const charge = ledger.findByKey(idempotencyKey);
    const mandate = charge && redirects.findMandate(charge.token);
    return { ...chargeOf(charge), ...(mandate && { mandate }) };
  };

  const lookUpSetup = (reference: string): WireSetup => {
    const setup = setups.find(reference);
    const mandate = setup && redirects.findMandate(setup.token);
    return { ...setupOf(setup), ...(mandate && { mandate }) };
  };

  const methodOf = (token: string) => {
    const method = redirects.findMethod(token);
    return method && { method };
  };

  const chargeCard = (request: SentCharge): WireCharge => {
    const { outcome, earlier, isAuthenticated } = ledger.getOutcome(request.token, request.idempotencyKey);
    const tries = triesOf(outcome, isAuthenticated);
    const first = tries[earlier] ?? tries.at(-1) ?? paid;
    if (typeof first === 'string') throw refusalOf(first);
    const isAbsent = request.isOffSession === true;
    const { attempts, ...charge } = ledger.addAttempt(request, isAbsent ? withoutPayer(first) : first);
    if (first.answerLost && attempts === 1) throw new NoAnswer();
    return chargeOf({ attempts, ...charge });
  };

  return {
    addTypedCard(card: TypedCard): WireCard {
      const known = sandboxCards.find(({ number }) => number === card.number);
      if (!known) throw new InvalidField('number', 'The number must be one of the published test card numbers.');
      return addCard(known, card);
    },

    /** What the payer has saved in Link. Every charge succeeds. */
    addLink,

    /** A card of the provider's form. Programs without a browser name an outcome of a test card (`tok_success`), or `tok_link`. */
    addFormCard(paymentToken: string): WireCard {
      if (paymentToken === 'tok_link') return addLink();
      const known = sandboxCards.find(({ outcome }) => `tok_${outcome}` === paymentToken);
      if (known) return addCard(known, formCard);
      return formTokens.use(paymentToken);
    },

    createMandate,
    findReturn,
    beginRedirect: (method: PageMethod) => redirects.begin(method),

    forgetCards: (tokens: readonly string[]) => ledger.forgetCards(tokens),

    setUpCard({ token, returnUrl }: { token: string; returnUrl?: string | undefined }): WireSetup {
      if (redirects.submit(token, true))
        return setupOf(setups.add({ token, returnUrl, mustAuthenticate: true, isOnPage: true }));
      const answer = setupAnswers[ledger.getOutcome(token, '').outcome];
      if (answer === 'misconfigured' || answer === 'unavailable') throw refusalOf(answer);
      if (answer !== undefined && answer !== 'requires_action')
        return { reference: '', token, status: 'declined', declineReason: answer };
      return setupOf(setups.add({ token, returnUrl, mustAuthenticate: answer !== undefined }));
    },

    lookUpSetup,

    voidSetup(reference: string): WireSetup {
      setups.settle(reference, 'authentication_expired');
      return lookUpSetup(reference);
    },

    /** How long the request takes, apart from the work. */
    slowness: (token: string) => (ledger.findOutcome(token) === 'slow' ? slowMs : 0),

    charge(request: SentCharge): WireCharge {
      checkAmount(request);
      if (request.redirect) {
        redirects.submit(request.token, request.redirect.savesMandate);
        ledger.addAttempt(request, onPage);
        return lookUpCharge(request.idempotencyKey);
      }
      if (!request.isDebit) return chargeCard(request);
      submit(request);
      return lookUpCharge(request.idempotencyKey, request.at);
    },

    lookUpCharge,

    confirmCharge(
      idempotencyKey: string,
      { reference, returnUrl }: { reference: string; returnUrl?: string | undefined },
    ) {
      ledger.confirm(reference, returnUrl);
      return lookUpCharge(idempotencyKey);
    },

    voidCharge(idempotencyKey: string, at?: string): WireCharge {
      const charge = ledger.findByKey(idempotencyKey);
      if (charge) ledger.settle(charge.reference, 'authentication_expired');
      return lookUpCharge(idempotencyKey, at);
    },

    refund: (request: SentRefund) => refunds.refund(request),
    lookUpRefund: (idempotencyKey: string) => refunds.lookUpRefund(idempotencyKey),
    listPayments: (since: string) => ledger.listPaid(since),
    listBalance: (since: string) => balance.list(since),
    payOut: (wanted: WantedPayout) => balance.payOut(wanted),
    failPayout: (reference: string) => balance.failPayout(reference),

    /** What waits for the payer at the bank. */
    findAuthentication(reference: string): WireAuthentication | undefined {
      const setup = setups.find(reference);
      if (setup?.status === 'requires_action') return { description: setup.description, ...methodOf(setup.token) };
      const charge = ledger.findByReference(reference);
      if (charge?.status !== 'requires_action') return undefined;
      const { amount_minor: minor, currency, description, token } = charge;
      return { amount: { minor, currency }, description, ...methodOf(token) };
    },

    /** The payer answers the bank. Returns the address to which the browser is sent, or null. The first answer is final. */
    answerAuthentication(reference: string, answer: BankAnswer): string | null {
      const declineReason = answer === 'refused' ? 'authentication_failed' : null;
      const setup = setups.find(reference);
      if (setup) {
        if (setups.settle(reference, declineReason) && answer !== 'refused') redirects.save(setup.token, answer);
        return setup.return_url;
      }
      const isSettled = ledger.settle(reference, declineReason);
      const charge = ledger.findByReference(reference);
      if (!charge) throw new Refusal(404, 'unknown_payment', 'Nothing waits under this reference.');
      if (isSettled && answer !== 'refused') redirects.save(charge.token, answer);
      return charge.return_url;
    },

    setOutcome: (token: string, outcome: SandboxOutcome) => ledger.setOutcome(token, outcome),

    /** The bank has replaced a card. Its charges end like those of another test card from now on. */
    updateCard({ token, number, ...printed }: { token: string; number: string } & Omit<TypedCard, 'holderName'>) {
      const card = sandboxCards.find((one) => one.number === number);
      if (!card) throw new InvalidField('number', 'The number must be one of the published test card numbers.');
      ledger.replaceCard(token, card);
      const fingerprint = fingerprintOf({ ...printed, number });
      return { token, lastFour: number.slice(-4), brand: 'visa', ...printed, fingerprint };
    },

    isCharged: (idempotencyKey: string) => ledger.findByKey(idempotencyKey) !== undefined,
    disputes,
    formTokens,
  };
}

const onPage = { status: 'requires_action', declineReason: null } as const;

/** How long a charge of the card `slow` takes: as long as at a provider on the internet. */
const slowMs = 300;

const chargeOf = (charge: SandboxCharge | undefined): WireCharge =>
  charge
    ? { reference: charge.reference, status: charge.status, declineReason: charge.decline_reason }
    : { reference: '', status: 'not_charged', declineReason: null };

const setupOf = (setup: SandboxSetup | undefined): WireSetup =>
  setup
    ? { reference: setup.reference, token: setup.token, status: setup.status, declineReason: setup.decline_reason }
    : { reference: '', token: '', status: 'unknown', declineReason: null };

/** The card behind Link, which its merchant does not see. */
const linkCard = { number: '4242424242424242', outcome: 'success' } as const;

/** The fields that a provider's payment form would require. */
const formCard = { holderName: 'Test Card', expiryMonth: 12, expiryYear: 2040 };

/** Only facts that a receipt shows as well. With the expiry, testers can create a second card of the same number. */
function fingerprintOf(card: Omit<TypedCard, 'holderName'>): string {
  return `sandbox-${card.number.slice(-4)}-${card.expiryYear}-${String(card.expiryMonth).padStart(2, '0')}`;
}
