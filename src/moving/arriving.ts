import { endMoving, resume } from '../accounts/merchants/states';
import { query } from '../adapters/postgres/statement';
import { transaction } from '../adapters/postgres/connection';
import { ownerDatabaseUrl } from '../adapters/settings';
import { audit } from '../audit/audit';
import { listAgain } from '../subscriptions/restorations';
import { hashOfCode, MoveRefusal } from './archive';
import { leaveTriggersOut, withClient } from './database';
import { deleteGroup, mayGo } from './import';
import { findLastMove, finishMove } from './moves.model';
import { keepOwner } from './owner';
import { startRuns } from './runs';
import { getMerchant } from './stop';

/** A merchant that was imported is started, or its rows are deleted. */

/**
 * Opens the merchant and starts its runs. The code proves that it cannot open in the first installation any more. A repeated call
 * starts runs that are missing. Returns the number of runs that the merchant needs.
 */
export async function startMerchant(idOrUuid: string, code: string): Promise<number> {
  const { id, group } = await getMerchant(idOrUuid);
  const move = await findLastMove(id, 'in');
  if (!move?.codeHash) throw new MoveRefusal('The merchant has not come from another installation.');
  if (move.codeHash.toString('hex') !== hashOfCode(code.trim()))
    throw new MoveRefusal(
      'The code is not that of the imported file. npm run merchant:moved in the first installation prints it.',
    );
  if (!move.finishedAt)
    await transaction(async (inTransaction) => {
      await endMoving(inTransaction, group);
      await resume(inTransaction, id);
      await finishMove(inTransaction, move.id);
      await listAgain(inTransaction, move.createdAt);
      const object = ['merchant', id] as const;
      await audit(inTransaction, { merchantId: id, accountId: id }, { action: 'merchant.arrive', object });
    });
  return startRuns(group);
}

/** Deletes all rows of a merchant that was imported and not started, or that has moved away. */
export async function discardMerchant(idOrUuid: string): Promise<void> {
  const { id, group } = await getMerchant(idOrUuid);
  const [row] = await query<{ may_go: boolean }>(`SELECT ${mayGo} AS may_go FROM accounts a WHERE a.id = $1`, [id]);
  if (row?.may_go !== true)
    throw new MoveRefusal(
      'The merchant lives here. Only a merchant that has moved, or was not started yet, can be deleted.',
    );
  await withClient(ownerDatabaseUrl, async (client) => {
    await leaveTriggersOut(client);
    await client.query('BEGIN');
    await keepOwner(client, group, () => deleteGroup(client, group));
    await client.query('COMMIT');
  });
}
