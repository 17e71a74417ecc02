import { lockMailReader } from '../accounts/mailReaders';
import { countHourly } from '../adapters/hourlyCounts';
import { transaction } from '../adapters/postgres/connection';
import { mailsPerHour } from '../adapters/settings';
import { audit } from '../audit/audit';
import { receiptLines, reductionOfAmount } from '../billing/invoiceLines';
import { settledPart } from '../billing/money';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { queueMail } from '../mail/mail';
import { type MailValues } from '../mail/mailValues';
import { taxPart } from '../tax/taxTexts';
import { findLatestReceipt, findReceipt, listPurchasesWithReceipts, type ReceiptRow } from './receipts.model';

/**
 * Mails the receipt of a charge again, with its document, to the present address of its customer. `token`: that of the
 * charge, or of its purchase for the latest charge.
 */
export async function resendReceipt(caller: Caller, token: string, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const trxToken = await findLatestReceipt(merchantId, token);
  const receipt = trxToken === undefined ? undefined : await findReceipt(merchantId, undefined, trxToken);
  if (!receipt) throw new AppError('payment_not_found');
  const { accountId, brandingId } = receipt;
  await countHourly(['receipt', merchantId, accountId], mailsPerHour);
  await transaction(async (inTransaction) => {
    const { email: to } = await lockMailReader(inTransaction, merchantId, accountId);
    const values = valuesOf(receipt);
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'receipt', values });
    await audit(inTransaction, caller, { action: 'receipt.resend', object: ['account', accountId], requestId });
  });
  return message('The receipt is on its way again');
}

/** Which purchases have a receipt that can be mailed again. `tokens`: those of the purchases. */
export async function findResendable({ merchantId }: Caller, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await listPurchasesWithReceipts(merchantId, tokens)).map(({ token }) => token));
}

/** The same values as when the charge was paid. The price of the fee may have changed since: then there is one line. */
function valuesOf(receipt: ReceiptRow): MailValues['receipt'] {
  const { description, transactionToken: token, trxToken, amountMinor, balanceMinor, currency, itemId } = receipt;
  const settled = settledPart(balanceMinor);
  const { reduction } = reductionOfAmount(receipt);
  const parts = { ...(settled && { settled }), ...receiptLines({ ...receipt, reduction }), ...taxPart(receipt) };
  return { description, token, trxToken, amountMinor, currency, itemId, date: receipt.paidAt.toISOString(), ...parts };
}
