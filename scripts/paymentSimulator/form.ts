import { formatAmount } from '../../src/billing/money';
import { type Accounts, type OpenAccount } from './accounts';
import { cardFrame, challengeFrame, framePolicy, formScript, type FormPage } from './formPages';
import { formTexts } from './formTexts';
import { Refusal } from './refusal';
import { type Answer, type ReceivedRequest } from './server';

/**
 * The payment form of the sandbox: `/form/script.js` for the pages of the service, two frames, and what the frames send.
 * Requests of browsers name the account by its publishable id.
 */

/** The card in the test wallet. */
const walletCard = { number: '4242424242424242', month: '12', year: '2040' };

interface FormRequest {
  open: OpenAccount;
  fields: URLSearchParams;
  page: FormPage;
}

const routes: Record<string, (request: FormRequest) => Answer> = {
  'GET card': ({ fields, page }) => {
    const hasLink = (fields.get('methods') ?? '').split(' ').includes('link');
    return frame(cardFrame(page, { sum: sumOf(fields), hasLink }));
  },

  'GET challenge': ({ open, fields, page }) => {
    const reference = fields.get('reference') ?? '';
    const found = open.account.findAuthentication(reference);
    if (!found) throw new Refusal(404, 'unknown_payment', 'Nothing waits under this reference.');
    const { amount, description } = found;
    const sum = amount ? [formatAmount(amount.minor, amount.currency)] : [];
    return frame(challengeFrame(page, reference, [description, ...sum]));
  },

  'POST tokens': ({ open, fields }) => {
    const how = fields.get('how');
    if (how === 'link') return { status: 200, body: { id: open.account.formTokens.add(open.account.addLink()) } };
    const typed = how === 'wallet' ? walletCard : Object.fromEntries(fields);
    const card = open.account.addTypedCard({
      number: typed['number'] ?? '',
      holderName: 'Test Card',
      expiryMonth: Number(typed['month']),
      expiryYear: Number(typed['year']),
    });
    return { status: 200, body: { id: open.account.formTokens.add(card) } };
  },

  'POST answers': ({ open, fields }) => {
    const answer = fields.get('answer') === 'approved' ? 'approved' : 'refused';
    open.account.answerAuthentication(fields.get('reference') ?? '', answer);
    return { status: 200, body: {} };
  },
};

export function answerForm(accounts: Accounts, { method, parts, query, body }: ReceivedRequest): Answer {
  const [, name = ''] = parts;
  if (name === 'script.js') return { status: 200, body: formScript, headers: { 'Content-Type': 'text/javascript' } };
  const route = routes[`${method} ${name}`];
  const fields = method === 'POST' ? new URLSearchParams(body) : query;
  const key = fields.get('key') ?? '';
  try {
    if (!route) throw new Refusal(404, 'unknown_path', 'The sandbox has no such path.');
    const language = fields.get('lang') ?? 'en';
    const page = { key, language, texts: formTexts(language), isDark: fields.get('theme') === 'night' };
    return route({ open: accounts.ofPublishable(key), fields, page });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: { error: { code: error.code, message: error.message } } };
  }
}

/** Empty for a set-up. */
function sumOf(fields: URLSearchParams): string {
  const amountMinor = Number(fields.get('amount'));
  const currency = (fields.get('currency') ?? '').toUpperCase();
  return Number.isInteger(amountMinor) && amountMinor > 0 && /^[A-Z]{3}$/.test(currency)
    ? formatAmount(amountMinor, currency)
    : '';
}

const frame = (body: string): Answer => ({ status: 200, body, headers: { 'Content-Security-Policy': framePolicy } });
