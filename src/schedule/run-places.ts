import { PyExecutorError } from "../errors.ts";
import type { RunOptions } from "../execution.ts";
import type { Environments } from "../environments.ts";
import type { Packages } from "../interpreter/packages.ts";
import type { Environment } from "../workers/worker.ts";
import { resolveCwd } from "./request.ts";

/** Where a snippet runs, and what there is to say about that. */
export interface RunPlace {
  /** An absolute path; in a session that has begun also empty: where the session is. */
  cwd: string;
  environment: Environment;
  notes: (string | undefined)[];
}

/** Places of several snippets, held until `release` is called; the first one's are its own. */
export interface HeldPlace extends RunPlace {
  places: readonly RunPlace[];
  /** May be called more than once. */
  release: () => void;
}

/** A snippet, and the argument that it came in. */
export interface Snippet {
  code: string;
  argument: string;
}

/** What a request says of where its snippets run. */
interface WhereRequest {
  cwd?: string | undefined;
  packages?: readonly string[] | undefined;
}

interface RunPlacesOptions {
  workspace: string;
  /** What the first request is to be told. */
  notice: string | undefined;
  environments: Environments;
  packages: Packages;
}

/** Settles where snippets run: the folder, the interpreter, the variables, the packages that they ask for. */
export class RunPlaces {
  readonly #options: RunPlacesOptions;
  #notice: string | undefined;

  constructor(options: RunPlacesOptions) {
    this.#options = options;
    this.#notice = options.notice;
  }

  /** Throws what is wrong with the folder, its interpreter or the packages. */
  async hold(
    request: WhereRequest,
    snippets: readonly Snippet[],
    options: RunOptions & { signal: AbortSignal },
  ): Promise<HeldPlace> {
    const { environments } = this.#options;
    const place = await this.#placeFor(request.cwd);
    const provided = await this.#provide(place.cwd, request.packages, snippets, options);
    const release = (): void => {
      for (const one of provided) one?.release();
    };
    try {
      const told = new Set<string | undefined>();
      const places = await Promise.all(
        provided.map(async (one, index) => {
          if (one === undefined) return { ...place, notes: index === 0 ? place.notes : [] };
          const environment = await environments.of(one.interpreter, place.cwd);
          const own = [...(index === 0 ? place.notes : []), ...one.notes];
          const notes = own.filter((note) => !told.has(note));
          for (const note of notes) told.add(note);
          return { cwd: place.cwd, environment, notes };
        }),
      );
      return { ...(places[0] ?? place), places, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #placeFor(cwd: string | undefined): Promise<RunPlace> {
    const path = resolveCwd(cwd, this.#options.workspace);
    const environment = await this.#options.environments.for(path);
    const notes = [this.#notice];
    this.#notice = undefined;
    return { cwd: path, environment, notes };
  }

  /** The packages that each snippet asks for; none if the caller no longer wants the request. */
  async #provide(
    cwd: string,
    wanted: readonly string[] | undefined,
    snippets: readonly Snippet[],
    { signal, onState, onNotice }: RunOptions & { signal: AbortSignal },
  ): ReturnType<Packages["provide"]> {
    const onAccepted = (): void => onState?.("queued");
    try {
      const request = { snippets, packages: wanted, cwd };
      return await this.#options.packages.provide(request, {
        signal,
        onAccepted,
        onLine: onNotice,
      });
    } catch (error) {
      if (!signal.aborted || error instanceof PyExecutorError) throw error;
      return snippets.map(() => undefined);
    }
  }
}
