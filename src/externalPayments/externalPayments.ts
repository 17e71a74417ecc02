import { createHash } from 'node:crypto';
import { type z } from 'zod';
import { type ReceiptClaim, type StoreName } from '../adapters/appStores/store';
import { enqueue, sendNow } from '../adapters/outbox';
import { transaction } from '../adapters/postgres/connection';
import { seal } from '../adapters/sealing';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { publicToken } from '../kit/publicTokens';
import { externalPaymentWorkflowId } from '../../workflows/messages';
import { findFee } from './productMapping';
import { presentClaim } from './externalPayments.model';
import { type ClaimBody, type ClaimResponse, type PlatformPath } from './externalPayments.schemas';
import { claimPurpose } from './validation';

type ClaimInput = z.output<typeof ClaimBody>;
type Platform = z.output<typeof PlatformPath>['platform'];

/**
 * Accepts a claim. Its workflow asks the store, however long that takes. Until then the receipt is stored encrypted in
 * the row and is sent only to the store.
 */
export async function submitExternalPayment(
  caller: Caller,
  platform: Platform,
  input: ClaimInput,
  { requestId }: RequestFacts,
): Promise<z.output<typeof ClaimResponse>> {
  const store: StoreName = platform === 'android' ? 'google-play' : platform;
  refuseIncomplete(store, input);
  const itemId = await checkNamed(caller, input);
  const { merchantId, accountId } = caller;
  const { token, queued } = await transaction(async (inTransaction) => {
    const { opened, token } = await presentClaim(inTransaction, {
      token: publicToken('X'),
      merchantId,
      accountId,
      store,
      receiptHash: createHash('sha256').update(input.receipt).digest(),
      sealedClaim: seal(claimPurpose, JSON.stringify(claimOf(input))),
      accessFeeId: input.access_fee_id ?? null,
      productName: input.product_name ?? null,
    });
    if (!opened) return { token, queued: undefined };
    const workflowId = externalPaymentWorkflowId(token, opened.attempt);
    const labels = { merchantId, ...(itemId !== undefined && { itemId }), state: 'pending', requestId, summary: store };
    const input_ = { externalPaymentId: opened.id };
    const message = { messageId: workflowId, workflow: 'externalPayment', workflowId, input: input_, labels } as const;
    return { token, queued: await enqueue(inTransaction, message) };
  });
  if (queued) await sendNow(queued);
  return {
    code: 202,
    message: 'Submitted for validation',
    explain: 'Submitted for payment',
    external_payment_id: token,
  };
}

function refuseIncomplete(store: StoreName, input: ClaimInput): void {
  const absent = (name: string) =>
    new AppError('missing_parameter', { errors: { [name]: `The ${name} must not be empty.` } });
  if (store === 'amazon' && input.amazon_user_id === undefined) throw absent('amazon_user_id');
  if (input.access_fee_id === undefined && input.product_name === undefined) throw absent('access_fee_id');
}

/** The named item and fee must be the merchant's. Whether they were bought is the store's answer. */
async function checkNamed(caller: Caller, { item_id: itemId, access_fee_id: feeId }: ClaimInput) {
  if (itemId !== undefined) await getItemRow(caller.merchantId, itemId);
  if (feeId === undefined) return itemId;
  const fee = await findFee(caller.merchantId, feeId);
  if (!fee || (itemId !== undefined && fee.itemId !== itemId)) throw new AppError('access_fee_not_found');
  return fee.itemId;
}

function claimOf(input: ClaimInput): ReceiptClaim {
  const { product_name: productName, amazon_user_id: amazonUserId, package_name: packageName } = input;
  return { receipt: input.receipt, productName, amazonUserId, packageName };
}
