import { Op } from 'sequelize';
import { type Transaction } from '../adapters/postgres/connection';
import { Account } from './accounts.model';

interface Mailbox {
  accountId: number;
  /** Normalized. */
  address: string;
}

/** The mailboxes of a merchant's account and of its staff. An address that its owner has not proved is not in the list. */
export async function listOwnMailboxes(merchantId: number, inTransaction?: Transaction): Promise<Mailbox[]> {
  const rows = await Account.findAll({
    attributes: ['id', 'emailNormalized'],
    where: { merchantId, role: ['merchant', 'staff'], isActive: true, activatedAt: { [Op.ne]: null } },
    ...(inTransaction && { transaction: inTransaction }),
  });
  return rows.map(({ id, emailNormalized }) => ({ accountId: id, address: emailNormalized }));
}
