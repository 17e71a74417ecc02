import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Document, type Node, parseXmlDocument } from 'slimdom';

/**
 * The business rules of EN 16931 for CII, version 1.3.15, as the European Committee for Standardization publishes them:
 * a Schematron that is compiled to XSLT. The file is unchanged (EUPL 1.2). What it does is simple enough to be done with
 * an evaluator of XPath: each template has the assertions of the nodes that it matches.
 */
const file = path.join(__dirname, 'en16931', 'EN16931-CII-validation.xslt');

type NamespaceResolver = (prefix: string) => string | null;

type Evaluate<Result> = (
  query: string,
  node: Node | null,
  domFacade: null,
  variables: object,
  options: { namespaceResolver: NamespaceResolver },
) => Result;

/** The types of the package declare everything that a browser has, for the whole program. So they are not imported. */
const {
  evaluateXPathToBoolean: isTrue,
  evaluateXPathToNodes: nodesOf,
  evaluateXPathToString: textOf,
} = createRequire(__filename)('fontoxpath') as {
  evaluateXPathToBoolean: Evaluate<boolean>;
  evaluateXPathToNodes: Evaluate<Node[]>;
  evaluateXPathToString: Evaluate<string>;
};

interface Assertion {
  id: string;
  flag: string;
  /** An XPath expression that is true for a valid document. */
  test: string;
}

interface Rule {
  /** In one pattern, only the first rule that matches a node is applied to it. */
  pattern: string;
  priority: number;
  match: string;
  assertions: Assertion[];
}

interface Rules {
  /** Sorted by priority. */
  rules: Rule[];
  namespaceResolver: NamespaceResolver;
}

let loaded: Rules | undefined;

/** The fatal rules that an invoice breaks, such as `BR-CO-15`, each once. Empty for a valid invoice. */
export function findRuleFaults(xml: string): string[] {
  return [...new Set(faultsOf(parseXmlDocument(xml)))];
}

/** How many assertions the published rules have. */
export const countAssertions = (): number =>
  rulesOfFile().rules.reduce((sum, { assertions }) => sum + assertions.length, 0);

function faultsOf(document: Document): string[] {
  const { rules, namespaceResolver } = rulesOfFile();
  const isHeld = (test: string, node: Node) => isTrue(test, node, null, {}, { namespaceResolver });
  const done = new Map<string, Set<Node>>();
  return rules.flatMap(({ pattern, match, assertions }) => {
    const matched = done.get(pattern) ?? new Set();
    done.set(pattern, matched);
    const nodes = nodesOf(fromRoot(match), document, null, {}, { namespaceResolver });
    const fresh = nodes.filter((node) => !matched.has(node));
    fresh.forEach((node) => matched.add(node));
    const fatal = assertions.filter(({ flag }) => flag === 'fatal');
    return fresh.flatMap((node) => fatal.filter(({ test }) => !isHeld(test, node)).map(({ id }) => id));
  });
}

/** A pattern of XSLT matches a node wherever it is. */
const fromRoot = (match: string) =>
  match
    .split('|')
    .map((one) => one.trim())
    .map((one) => (one.startsWith('/') ? one : `//${one}`))
    .join(' | ');

function rulesOfFile(): Rules {
  loaded ??= parse(parseXmlDocument(readFileSync(file, 'utf8')));
  return loaded;
}

function parse({ documentElement: sheet }: Document): Rules {
  const spaces = new Map(sheet?.attributes.map(({ localName, value }) => [localName, value]));
  const namespaceResolver = (prefix: string) => spaces.get(prefix) ?? null;
  const select = (query: string, node: Node | null) => nodesOf(query, node, null, {}, { namespaceResolver });
  const read = (query: string, node: Node) => textOf(query, node, null, {}, { namespaceResolver });
  const rules = select('xsl:template[matches(@mode, "^M[0-9]+$")][svrl:fired-rule]', sheet).map((template) => ({
    pattern: read('@mode', template),
    priority: Number(read('@priority', template)),
    match: read('@match', template),
    assertions: select('xsl:choose', template).map((choice) => ({
      test: read('xsl:when/@test', choice),
      id: read('xsl:otherwise/svrl:failed-assert/xsl:attribute[@name="id"]', choice),
      flag: read('xsl:otherwise/svrl:failed-assert/xsl:attribute[@name="flag"]', choice),
    })),
  }));
  return { rules: rules.sort((one, other) => other.priority - one.priority), namespaceResolver };
}
