import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { interpolate } from './composeFiles';

/** The part of a Compose file that the rules below read; `test/architecture/compose-spec.schema.json` knows the rest. */
const Mount = z.union([z.string(), z.object({ type: z.string(), source: z.string(), target: z.string() })]);
const Service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  volumes: z.array(Mount).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.unknown().optional(),
  mem_limit: z.string().optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }).optional(),
  build: z.unknown().optional(),
  profiles: z.array(z.string()).default([]),
  deploy: z.object({ replicas: z.number() }).default({ replicas: 1 }),
});
export const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.unknown()),
});

type Compose = z.output<typeof Compose>;
type Service = z.output<typeof Service>;

export interface Surroundings {
  root: string;
  /** The variables that the program reads, from its own configuration. */
  knownVariables: ReadonlySet<string>;
}

/** What runs until it is stopped; the others do one job and end. */
const programs = ['api', 'worker'];
/** API and worker drain for at most 30 s. */
const graceSecondsMin = 35;

/** What is wrong with the file, one line each. */
export function complaints(document: unknown, surroundings: Surroundings): string[] {
  const compose = Compose.parse(document);
  const found = Object.entries(compose.services).flatMap(([name, service]) =>
    [
      ...imageComplaints(service),
      ...secretComplaints(service),
      ...mountComplaints(service, compose, surroundings.root),
      ...dependencyComplaints(service, compose),
      ...lifeComplaints(service),
      ...limitComplaints(service),
      ...(programs.includes(name) ? programComplaints(service, surroundings.knownVariables) : []),
    ].map((complaint) => `${name}: ${complaint}`),
  );
  for (const name of programs) if (compose.services[name] === undefined) found.push(`${name}: is missing`);
  return found;
}

function imageComplaints({ image }: Service): string[] {
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' || tag.includes('$') ? [`image ${image} is not pinned`] : [];
}

/** A secret comes from a file, or from a variable without a default. */
function secretComplaints({ environment }: Service): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const isSecret =
      /(PASSWORD|PWD|SECRET|TOKEN|_KEYS?$|^DATABASE_(DIRECT_|REPORTS_)?URL$)/.test(name) && !name.endsWith('_FILE');
    const isGiven = /^\$\{\w+(:-|:\?[^}]+)?\}$/.test(String(value));
    const holdsPassword = /:\/\/[^/@$]*:[^/@$]+@/.test(String(value));
    return (isSecret && !isGiven) || holdsPassword ? [`${name} is a secret in the file`] : [];
  });
}

function mountComplaints({ volumes }: Service, compose: Compose, root: string): string[] {
  return volumes.flatMap((mount) => {
    const source = typeof mount === 'string' ? (interpolate(mount, {}).split(':')[0] ?? '') : mount.source;
    if (source.startsWith('.'))
      return existsSync(path.join(root, source)) ? [] : [`mounts ${source}, which is not there`];
    return source in compose.volumes ? [] : [`mounts the undeclared volume ${source}`];
  });
}

function dependencyComplaints(service: Service, compose: Compose): string[] {
  return Object.entries(service.depends_on).flatMap(([name, { condition }]) => {
    const other = compose.services[name];
    if (other === undefined) return [`waits for ${name}, which is not there`];
    const needed = isLongRunning(other) ? 'service_healthy' : 'service_completed_successfully';
    return condition === needed ? [] : [`waits for ${name} with ${condition} instead of ${needed}`];
  });
}

/** `build` counts as a health check: the Dockerfile has one. */
function lifeComplaints(service: Service): string[] {
  if (service.restart === undefined) return ['has no restart policy'];
  const isChecked = service.healthcheck !== undefined || service.build !== undefined;
  return isLongRunning(service) && !isChecked ? ['has no health check'] : [];
}

/** One container must not take the memory or the disk of the machine. */
function limitComplaints({ mem_limit, logging }: Service): string[] {
  return [
    ...(mem_limit === undefined ? ['has no limit of memory'] : []),
    ...(logging?.options['max-size'] === undefined ? ['has a log without a limit'] : []),
  ];
}

function programComplaints(service: Service, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(service.environment).filter((name) => !known.has(name));
  const graceSeconds = Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '')?.[1] ?? 0);
  return [
    ...unknown.map((name) => `${name} is no variable that the program reads`),
    ...(graceSeconds < graceSecondsMin ? [`is killed after ${graceSeconds} s, before it has drained`] : []),
    ...(service.deploy.replicas < 2 ? ['runs once: nobody takes over when it dies'] : []),
  ];
}

function isLongRunning({ restart }: Service): boolean {
  return restart === 'unless-stopped' || restart === 'always';
}
