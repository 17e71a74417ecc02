import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { agreementMethods, isWallet, pageMethods, type PageMethod } from '../../src/adapters/cardProviders/redirects';
import { type BankAnswer } from '../../src/adapters/cardProviders/sandboxWire';
import { type Books } from './books';
import { type DebitOutcome } from './testAccounts';
import { type SandboxOutcome } from './testCards';

const MethodRow = z.object({ method: z.enum(pageMethods) });
const MandateRow = z.object({ token: z.string(), lastFour: z.string() });

/** The bank account of every payer on a page of a bank. */
const lastFour = '3000';

/** What becomes of later debits of the account, by the payer's choice on the page. */
const debits: Record<Exclude<BankAnswer, 'refused'>, DebitOutcome> = {
  approved: 'debit_paid',
  approved_once: 'debit_failed',
};

/** What becomes of later payments by PayPal. */
const payments: Record<Exclude<BankAnswer, 'refused'>, SandboxOutcome> = {
  approved: 'success',
  approved_once: 'insufficient_funds',
};

const isAgreement = (method: PageMethod) => agreementMethods.some((name) => name === method);

/** Payments and set-ups on a page of the bank or of PayPal, in the sandbox's ledger. */
export function createRedirects({ query }: Books) {
  function begin(method: PageMethod): { token: string } {
    const token = `page_${randomBytes(16).toString('hex')}`;
    const digits = isAgreement(method) || isWallet(method) ? '' : lastFour;
    query('INSERT INTO cards (token, outcome, last_four) VALUES ($1, $2, $3)', [token, 'success', digits]);
    query('INSERT INTO redirects (token, method) VALUES ($1, $2)', [token, method]);
    return { token };
  }

  /** The token pays for a charge or a set-up. False if it is not one of a payment on a page. */
  const submit = (token: string, savesMandate: boolean): boolean =>
    query('UPDATE redirects SET saves_mandate = $2 WHERE token = $1 RETURNING token', [token, savesMandate ? 1 : 0])
      .length > 0;

  /** The method of a token; undefined if it is not one of a payment on a page. */
  function findMethod(token: string): PageMethod | undefined {
    const [row] = query('SELECT method FROM redirects WHERE token = $1', [token]);
    return row && MethodRow.parse(row).method;
  }

  /** The payer has agreed: the mandate of the account or the agreement with PayPal is made, if one is wanted. */
  function save(token: string, answer: Exclude<BankAnswer, 'refused'>): void {
    const [row] = query('SELECT method FROM redirects WHERE token = $1 AND saves_mandate = 1', [token]);
    if (!row) return;
    const isPaypal = isAgreement(MethodRow.parse(row).method);
    const mandate = `${isPaypal ? 'agreement' : 'mandate'}_${randomBytes(16).toString('hex')}`;
    const later = isPaypal ? { outcome: payments[answer], digits: '' } : { outcome: debits[answer], digits: lastFour };
    query('INSERT INTO cards (token, outcome, last_four) VALUES ($1, $2, $3)', [mandate, later.outcome, later.digits]);
    query('UPDATE redirects SET mandate_token = $2 WHERE token = $1', [token, mandate]);
  }

  function findMandate(token: string): { token: string; lastFour: string } | undefined {
    const [row] = query(
      `SELECT k.token, k.last_four AS "lastFour" FROM redirects r JOIN cards k ON k.token = r.mandate_token
       WHERE r.token = $1`,
      [token],
    );
    return row && MandateRow.parse(row);
  }

  return { begin, submit, findMethod, save, findMandate };
}
