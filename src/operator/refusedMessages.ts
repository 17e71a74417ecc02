import { type z } from 'zod';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import {
  countRefused,
  deleteRefused,
  findRefused,
  type RefusedMessage,
  releaseRefused,
} from '../adapters/refusedMessages';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message, type PageQuery, pageRange } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { runOf } from '../platform';

/** What an operator decides about messages that Temporal has refused. */

export async function listRefusedMessages(sent: z.output<typeof PageQuery>) {
  const { page, limit, offset } = pageRange(sent);
  const rows = await findRefused({ limit, offset });
  return { total: await countRefused(), page, offset, limit, collection: rows.map(present) };
}

function present({ workflowId, createdAt, refusedAt, ...message }: RefusedMessage) {
  return {
    ...message,
    ...runOf(workflowId),
    created_at: unixSeconds(createdAt),
    refused_at: unixSeconds(refusedAt),
  };
}

export async function sendRefusedMessage(caller: Caller, id: number, request: RequestFacts) {
  await decide(caller, { id, action: 'message.send', request }, releaseRefused);
  return message('The message is sent again');
}

/** The work is not lost: a run that is missing starts from its row. */
export async function discardRefusedMessage(caller: Caller, id: number, request: RequestFacts) {
  await decide(caller, { id, action: 'message.discard', request }, deleteRefused);
  return message('The message is deleted');
}

interface Decision {
  id: number;
  action: `message.${string}`;
  request: RequestFacts;
}

function decide(
  caller: Caller,
  { id, action, request: { requestId } }: Decision,
  carryOut: (inTransaction: Transaction, id: number) => Promise<boolean>,
): Promise<void> {
  return transaction(async (inTransaction) => {
    if (!(await carryOut(inTransaction, id))) throw new AppError('message_not_found');
    await audit(inTransaction, caller, { action, object: ['message', id], requestId });
  });
}
