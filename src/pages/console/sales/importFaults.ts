import { type importEndpoints } from '../../../customers/imports/imports.endpoints';
import { type Html } from '../../../kit/html';
import { type AnswerOf } from '../../layout/answers';
import { type Texts } from '../../layout/texts';
import { breakable, table } from '../lists';

type Fault = AnswerOf<typeof importEndpoints.importCustomers>['faults'][number];

/** The faults of a file, each with what to do. */
export function faultTable(texts: Texts, faults: readonly Fault[]): Html {
  const { t, number } = texts;
  return table({
    title: t('console.imports.faultsTitle'),
    rows: faults,
    empty: '',
    hasLongTexts: true,
    columns: [
      { title: t('console.imports.line'), cell: ({ line }) => t('console.imports.lineNumber', { line: number(line) }) },
      { title: t('console.imports.column'), cell: ({ column }) => breakable(column ?? '') },
      { title: t('console.imports.whatToDo'), cell: (fault) => adviceOf(texts, fault) },
    ],
  });
}

function adviceOf({ t }: Texts, { reason, limit = 0, allowed = [] }: Fault): string {
  return t(`console.imports.faults.${reason}`, { count: limit, allowed: allowed.join(', ') });
}
