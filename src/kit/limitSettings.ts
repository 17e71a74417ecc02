import { z } from 'zod';
import { count } from './settings';

/** Limits of requests, mails and sockets, and of the sessions of operators. */
export const limitSettings = {
  RATE_LIMIT_CREDENTIALS: count(20).describe(
    'Failed sign-ins, registrations and codes per minute and address, and requests that send a mail to any address.',
  ),
  RATE_LIMIT_SIGN_INS: count(1200).describe(
    'Sign-ins and codes per minute and address, correct ones included. Many people share an address.',
  ),
  RATE_LIMIT_REGISTRATIONS: count(120).describe('Registrations per minute and address.'),
  RATE_LIMIT_NORMAL: count(600).describe(
    'Other requests per minute and session, and requests for the API reference per minute and address.',
  ),
  RATE_LIMIT_ANONYMOUS: count(6000).describe(
    'Other requests without a session per minute and address, for the API and for pages. Many people share an address.',
  ),
  RATE_LIMIT_FAILURES: count(50).describe('Wrong passwords and codes from one address in ten minutes.'),
  RATE_LIMIT_MAILS: count(3).describe(
    'Requested mails of each kind (activation, new password, pin) per hour and account.',
  ),
  SOCKETS_PER_ACCOUNT: count(20).describe(
    'Open sockets of an account in one API process. The oldest ends for one above the limit.',
  ),
  SOCKETS_PER_ADDRESS: count(200).describe(
    'Open sockets without a valid token of an address in one API process. Those of signed-in viewers do not count.',
  ),
  OPERATOR_IDLE_MINUTES: z.coerce
    .number()
    .int()
    .min(5)
    .max(720)
    .default(30)
    .describe(
      'The session of an operator ends after this time without use. The setting `session_idle_minutes` is the limit for the people of a merchant.',
    ),
};
