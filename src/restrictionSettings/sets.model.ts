import { boolean, defaulted, integer, serial, text, time } from '../adapters/postgres/columns';
import { type ListType } from '../restrictions/restrictions.model';

/** The columns of country sets and geo sets. Each model needs objects of its own, which Sequelize completes. */
export const setColumns = () => ({
  id: serial(),
  merchantId: integer(),
  name: text(),
  type: text<ListType>(),
  isGlobal: boolean(),
  createdAt: defaulted(time()),
});
