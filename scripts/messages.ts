import { closeDatabase, transaction } from '../src/adapters/postgres/connection';
import {
  countRefused,
  deleteRefused,
  findRefused,
  releaseAllRefused,
  releaseRefused,
} from '../src/adapters/refusedMessages';

/**
 * The messages that Temporal has refused. `list` prints the oldest ones with the reason. `send <id>` lets the service send
 * a message again, `send all` all of them. `discard <id>` deletes a message.
 */

const shownMax = 100;
const decisions = { send: releaseRefused, discard: deleteRefused } as const;

async function main(): Promise<void> {
  const [command = '', id = ''] = process.argv.slice(2);
  if (command === 'list') return list();
  if (command === 'send' && id === 'all') return sendAll();
  if (command !== 'send' && command !== 'discard') throw new Error('Use: npm run messages:list');
  if (!/^\d{1,15}$/.test(id))
    throw new Error(`Name the id of a message, which npm run messages:list prints: npm run messages:${command} -- 42`);
  const isDone = await transaction((inTransaction) => decisions[command](inTransaction, Number(id)));
  if (!isDone) throw new Error(`No refused message has the id ${id}.`);
  console.log(command === 'send' ? 'The message is sent again.' : 'The message is deleted.');
}

async function list(): Promise<void> {
  const shown = await findRefused({ limit: shownMax, offset: 0 });
  for (const { id, signal, workflowId, attempts, refusedAt, error } of shown)
    console.log(
      `${id}  ${signal ?? 'start'} ${workflowId}: refused ${attempts} times, last ${refusedAt.toISOString()}: ${error ?? ''}`,
    );
  console.log(`Refused messages: ${await countRefused()}.`);
}

async function sendAll(): Promise<void> {
  const released = await transaction((inTransaction) => releaseAllRefused(inTransaction));
  console.log(`Messages that are sent again: ${released}.`);
}

main()
  .catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
  })
  .finally(() => void closeDatabase());
