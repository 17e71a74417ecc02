import { DataTypes, Model, type DataType, type ModelStatic } from 'sequelize';

/** A column of a table. Only the compiler reads `value` and `isOptional`. */
interface Column<Value, IsOptional extends boolean = boolean> {
  type: DataType;
  primaryKey?: true;
  autoIncrement?: true;
  readonly value?: Value;
  /** Whether a new row may leave it out. */
  readonly isOptional?: IsOptional;
}

type Columns = Record<string, Column<unknown>>;

/** The fields of a row. */
type RowOf<C extends Columns> = { [Field in keyof C]: C[Field] extends Column<infer Value> ? Value : never };

type OptionalField<C extends Columns> = {
  [Field in keyof C]: C[Field] extends Column<unknown, true> ? Field : never;
}[keyof C];

/** The fields of a new row. Sequelize makes nullable fields optional. */
type NewRowOf<C extends Columns> = Omit<RowOf<C>, OptionalField<C>> & Partial<Pick<RowOf<C>, OptionalField<C>>>;

type ModelOf<C extends Columns> = ModelStatic<Model<RowOf<C>, NewRowOf<C>> & RowOf<C>> & {
  readonly columns: C;
  /** The columns in a SELECT list, under the names of their fields: `i.merchant_id AS "merchantId"`. */
  selectList(alias: string, options?: { without: readonly (keyof C)[] }): string;
};

/** The base class of a model. Its columns are listed once: `class Item extends modelOf({ id: serial(), … }) {}`. */
export function modelOf<C extends Columns>(columns: C): ModelOf<C> {
  return class extends Model {
    static readonly columns = columns;

    static selectList(alias: string, { without }: { without: readonly string[] } = { without: [] }): string {
      const selected = Object.entries(this.getAttributes()).filter(([field]) => !without.includes(field));
      return selected.map(([field, { field: column = field }]) => `${alias}.${column} AS "${field}"`).join(', ');
    }
  } as unknown as ModelOf<C>;
}

/** `NoInfer`: the kind of a column decides its type, not the place where it is used. */
const required = <Value>(type: DataType): Column<NoInfer<Value>, false> => ({ type });

export const integer = <Value = number>() => required<Value>(DataTypes.INTEGER);
export const bigint = () => required<number>(DataTypes.BIGINT);
export const boolean = () => required<boolean>(DataTypes.BOOLEAN);
export const text = <Value = string>() => required<Value>(DataTypes.TEXT);
export const char = (length: number) => required<string>(DataTypes.CHAR(length));
export const uuid = () => required<string>(DataTypes.UUID);
export const time = () => required<Date>(DataTypes.DATE);
export const day = () => required<string>(DataTypes.DATEONLY);
export const bytes = () => required<Buffer>(DataTypes.BLOB);
export const json = <Value>() => required<Value>(DataTypes.JSON);
export const jsonb = <Value>() => required<Value>(DataTypes.JSONB);
export const integers = () => required<number[]>(DataTypes.ARRAY(DataTypes.INTEGER));
export const texts = <Value = string>() => required<Value[]>(DataTypes.ARRAY(DataTypes.TEXT));

/** A primary key that the database sets. */
export const serial = (type: DataType = DataTypes.INTEGER): Column<number, true> => ({
  type,
  primaryKey: true,
  autoIncrement: true,
});
export const bigserial = () => serial(DataTypes.BIGINT);

/** A primary key, or a part of one. */
export const key = <Value>({ type }: Column<Value, false>): Column<Value, false> => ({ type, primaryKey: true });

export const nullable = <Value>({ type }: Column<Value, false>): Column<Value | null, true> => ({ type });

/** A column for which the database has a default value. */
export const defaulted = <Value>({ type }: Column<Value, false>): Column<Value, true> => ({ type });
