import { existsSync } from 'node:fs';
import { type Build, cachedFile, findGo, goInstall, keep } from './goPrograms';
import { findServer } from './installed';

/** The release of the server's image in docker-compose.yml. */
export const temporalServerVersion = '1.29.1';

/** The programs of the image `temporalio/server`: the server, and the tool that writes the schema of its databases. */
export interface TemporalServerPrograms {
  server: string;
  sqlTool: string;
}

const sources = {
  server: { setting: 'TEMPORAL_SERVER', name: 'temporal-server', package: 'cmd/server' },
  sqlTool: { setting: 'TEMPORAL_SQL_TOOL', name: 'temporal-sql-tool', package: 'cmd/tools/sql' },
} as const;
type Source = (typeof sources)[keyof typeof sources];

const cachedProgram = ({ name }: Source) => cachedFile(`temporal-server-${temporalServerVersion}`, name);

function findProgram(source: Source): string | undefined {
  const found = findServer(source.name, process.env[source.setting]);
  const cached = cachedProgram(source);
  return found ?? (existsSync(cached) ? cached : undefined);
}

/** The programs, if both are on this machine already. */
export function findTemporalServerPrograms(): TemporalServerPrograms | undefined {
  const [server, sqlTool] = [findProgram(sources.server), findProgram(sources.sqlTool)];
  return server === undefined || sqlTool === undefined ? undefined : { server, sqlTool };
}

/** Whether `getTemporalServerPrograms` can find the programs or build them. */
export const hasTemporalServer = () => findGo() !== undefined || findTemporalServerPrograms() !== undefined;

/** The programs of this machine, or else those that are built once from the Go module of the server. */
export async function getTemporalServerPrograms(
  build: Build & { say: (line: string) => void },
): Promise<TemporalServerPrograms> {
  const get = async (source: Source) => {
    const found = findProgram(source);
    if (found !== undefined) return found;
    build.say(`Building ${source.name} ${temporalServerVersion} with Go (some minutes, once) ...`);
    const address = `go.temporal.io/server/${source.package}@v${temporalServerVersion}`;
    await keep(cachedProgram(source), (folder) => goInstall(folder, address, build));
    return cachedProgram(source);
  };
  return { server: await get(sources.server), sqlTool: await get(sources.sqlTool) };
}
