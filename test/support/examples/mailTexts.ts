import { call } from '../client';
import { type Examples } from './example';

/** A text for each part that a mail with a button and a free closing can have. */
export const mailText = {
  subject: 'Thank you from {brand}',
  heading: 'Thank you',
  opening: 'You have paid {amount} for {description}.\n\nEnjoy it!',
  closing: 'Yours, {brand}. Number {token}',
  button: 'Watch now',
};

const params = { kind: 'receipt', language: 'de' };
const notRows = {
  'params.kind': 'one of the mails that every merchant has',
  'params.language': 'one of eight for everyone',
};

export const mailTextExamples: Examples = {
  listMailTexts: { request: () => ({ query: { language: 'de' } }) },
  getMailText: { request: () => ({ params }), unowned: notRows },
  setMailText: { request: () => ({ params, body: mailText }), unowned: notRows },
  deleteMailText: {
    request: async ({ app }, caller) => {
      await call(app, 'PUT', '/v2/mail-texts/receipt/de', mailText, caller);
      return { params };
    },
    unowned: notRows,
    spends: true,
  },
  previewMailText: { request: () => ({ params, body: mailText }), unowned: notRows },
  sendTestMail: { request: () => ({ params, body: mailText }), unowned: notRows },
};
