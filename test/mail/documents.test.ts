import { type Shop } from '../support/factories';
import { issued, createTaxedShop } from '../support/invoices';
import { type MailServer, startMailServer } from '../support/mailServer';
import { createPayShop, paid, refund } from '../support/payments';
import { wordsOf } from '../support/receipts';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** Invoices, credit notes and receipts in mails, as a mail server receives them. */

let app: TestApp;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url });
  await app.startWorker();
});

afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

/** The mail with a part of this subject. */
const arrives = ({ consumer }: Shop, subject: string) =>
  until(() =>
    mailServer.received.find((mail) => mail.recipients.includes(consumer.email) && mail.subject?.includes(subject)),
  );

type Received = Awaited<ReturnType<typeof arrives>>;

const filesOf = ({ attachments }: Received) =>
  attachments.map(({ filename, mimeType, disposition }) => ({ filename, mimeType, disposition }));

function wordsIn({ attachments }: Received): Promise<string> {
  const [file] = attachments;
  return wordsOf(new Response(file?.content as ArrayBuffer));
}

/** Waiting mails are tried at once. */
const hurry = () => app.pool.query('UPDATE mails SET available_at = now() WHERE sent_at IS NULL AND parked_at IS NULL');

/** Mails that are sent during this work get their documents from another source. */
async function withSource<T>(make: () => Promise<undefined>, work: () => Promise<T>): Promise<T> {
  const { attachDocuments } = await import('../../src/mail/documents.js');
  const { findReceiptFile } = await import('../../src/subscriptions/receipts.js');
  attachDocuments(make);
  try {
    return await work();
  } finally {
    attachDocuments(({ language, ...owner }, trxToken) =>
      findReceiptFile({ ...owner, role: 'consumer' }, trxToken, language),
    );
  }
}

test('a receipt has the invoice as a PDF, named by its number, and the outbox has no copy', async () => {
  const shop = await createTaxedShop(app);
  await paid(app, shop);
  const mail = await arrives(shop, 'receipt');
  const [invoice] = await issued(app, shop.merchant);
  const number = invoice?.number ?? '';
  expect(filesOf(mail)).toEqual([
    { filename: `${number}.pdf`, mimeType: 'application/pdf', disposition: 'attachment' },
  ]);
  expect(await wordsIn(mail)).toContain(number);
  expect(mail.headers.find(({ key }) => key === 'content-type')?.value).toMatch(/^multipart\/mixed;/);
  expect([mail.text, mail.html]).toEqual([expect.stringContaining('€'), expect.stringContaining('€')]);
  const { rows } = await app.pool.query(
    `SELECT m.attachment_name, m.sealed_values FROM mails m WHERE m.account_id = $1 AND m.template = 'receipt'`,
    [shop.consumer.id],
  );
  expect(rows).toEqual([{ attachment_name: null, sealed_values: null }]);
});

test('a refund has the credit note, which names the invoice', async () => {
  const shop = await createTaxedShop(app);
  const trxToken = await paid(app, shop);
  await refund(app, shop.merchant, trxToken);
  const mail = await arrives(shop, 'refund');
  const [invoice, note] = await issued(app, shop.merchant);
  expect(filesOf(mail)).toMatchObject([{ filename: `${note?.number ?? ''}.pdf`, mimeType: 'application/pdf' }]);
  expect(await wordsIn(mail)).toContain(invoice?.number ?? '-');
});

test('without a tax profile, a receipt and a refund have the receipt of the payment', async () => {
  const shop = await createPayShop(app);
  const trxToken = await paid(app, shop);
  const mail = await arrives(shop, 'receipt');
  expect(filesOf(mail)).toMatchObject([{ filename: expect.stringMatching(/^receipt-.+\.pdf$/) as string }]);
  expect(await wordsIn(mail)).toContain('Receipt');
  await refund(app, shop.merchant, trxToken);
  expect(filesOf(await arrives(shop, 'refund'))).toMatchObject([{ mimeType: 'application/pdf' }]);
});

test('without a document, the mail has no attachment', async () => {
  const mail = await withSource(
    () => Promise.resolve(undefined),
    async () => {
      const shop = await createPayShop(app);
      await paid(app, shop);
      return arrives(shop, 'receipt');
    },
  );
  expect(mail.attachments).toEqual([]);
});

test('a document that cannot be made is tried again, and then the mail is sent without it', async () => {
  let tries = 0;
  const shop = await createPayShop(app);
  const fail = () => {
    tries += 1;
    return Promise.reject(new Error('the font is broken'));
  };
  const mail = await withSource(fail, async () => {
    await paid(app, shop);
    return until(async () => {
      await hurry();
      return mailServer.received.find(
        ({ recipients, subject }) => recipients.includes(shop.consumer.email) && subject?.includes('receipt'),
      );
    });
  });
  expect([mail.attachments, tries]).toEqual([[], 4]);
  const { rows } = await app.pool.query(
    `SELECT attempts, last_error FROM mails WHERE account_id = $1 AND template = 'receipt'`,
    [shop.consumer.id],
  );
  expect(rows).toEqual([{ attempts: 3, last_error: 'no document' }]);
});

test('a document that fails once arrives with the next try', async () => {
  const shop = await createPayShop(app);
  let tries = 0;
  const fail = () => {
    tries += 1;
    return Promise.reject(new Error('no memory'));
  };
  await withSource(fail, async () => {
    await paid(app, shop);
    await until(() => tries > 0);
  });
  const mail = await until(async () => {
    await hurry();
    return mailServer.received.find(
      ({ recipients, subject }) => recipients.includes(shop.consumer.email) && subject?.includes('receipt'),
    );
  });
  expect(filesOf(mail)).toMatchObject([{ mimeType: 'application/pdf' }]);
});
