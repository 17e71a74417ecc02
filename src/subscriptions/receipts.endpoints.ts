import { merchant, signedInWith } from '../kit/auth';
import { Answer, endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { requestLanguage } from '../kit/pages/languages';
import { ReceiptBytes, ReceiptPath } from './receipts.schemas';
import { resendReceipt } from './receiptMails';
import * as receipts from './receipts';

export const receiptEndpoints = {
  getReceipt: endpoint({
    method: 'get',
    path: '/v2/accounting/transactions/{trx_token}/receipt',
    summary: 'Get the invoice or the receipt of a charge as a PDF, also for a merchant’s customers',
    auth: signedInWith('payments:read'),
    params: ReceiptPath,
    status: 200,
    response: ReceiptBytes,
    produces: 'application/pdf',
    errors: ['payment_not_found'],
    handler: async ({ caller, params, request }) => {
      const { bytes, name } = await receipts.getReceipt(caller, params.trx_token, requestLanguage(request));
      const headers = { 'Content-Disposition': `inline; filename="${name}"` };
      return new Answer(bytes, { contentType: 'application/pdf', headers });
    },
  }),
  resendReceipt: endpoint({
    method: 'post',
    path: '/v2/accounting/transactions/{trx_token}/receipt/resend',
    summary: 'Mail the receipt of a charge to its customer again; the token of a purchase means its latest charge',
    auth: merchant('payments:write'),
    params: ReceiptPath,
    status: 200,
    response: Message,
    errors: ['payment_not_found', 'mail_not_possible', 'too_many_requests'],
    handler: ({ caller, params, request }) => resendReceipt(caller, params.trx_token, request),
  }),
};
