import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "../lib/api";
import { useSession } from "../lib/context";
import { controlCurl } from "../lib/curl";
import type { Report, ScenarioInfo } from "../model/types";
import { Empty, Loading, Trouble } from "../parts/empty";
import { Icon } from "../parts/icon";
import { Pill } from "../parts/pill";
import { ReportView } from "./report";

/** The scenarios that the server knows: run in this sandbox, told step by step. */
export function ScenariosPanel() {
  const session = useSession("reports", "connection");
  const [list, setList] = useState<readonly ScenarioInfo[] | null>(null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    session.api
      .get<ScenarioInfo[]>("/scenarios")
      .then(setList, (error: unknown) => setTrouble(wordsOf(error)));
  }, [session]);
  if (trouble !== "")
    return (
      <div class="panel-scroll">
        <Trouble text={trouble} />
      </div>
    );
  if (list === null) return <Loading what="the scenarios" />;
  const run = async (name: string) => {
    const tell = (report: Report | "running" | Error) => {
      session.reports.set(name, report);
      session.topics.mark("reports");
      session.topics.flush();
    };
    tell("running");
    try {
      tell(await session.api.post<Report>("/scenarios/run", { name }));
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <div class="panel-scroll">
      {list.length === 0 ? (
        <Empty
          title="No scenarios found"
          command={controlCurl(
            "POST",
            session.api.base,
            "/scenarios/run",
            session.api.access.token !== null,
            {
              scenario: {
                name: "Hello",
                thread: "9001",
                steps: [{ customer: "Hello" }, { delivered: "message" }],
              },
            },
          )}
        >
          Those that ship and those of the server's working folder are listed here. One can also be sent as it
          is:
        </Empty>
      ) : (
        <ul class="cards" aria-label="Scenarios">
          {list.map(({ name, file }) => {
            const report = session.reports.get(name);
            return (
              <li key={file} class="card">
                <div class="row spread">
                  <div class="scenario-name">
                    <strong>{name}</strong>
                    <p class="muted small-text break" title={file}>
                      {file.split(/[\\/]/).slice(-2).join("/")}
                    </p>
                  </div>
                  {report !== undefined && report !== "running" && !(report instanceof Error) ? (
                    <Pill tone={report.ok ? "good" : "bad"}>{report.ok ? "passed" : "failed"}</Pill>
                  ) : null}
                  <button
                    type="button"
                    class="small"
                    aria-label={`Run ${name}`}
                    disabled={report === "running"}
                    onClick={() => run(name)}
                  >
                    <Icon name="play" />
                    {report === "running" ? "Running…" : "Run"}
                  </button>
                </div>
                {report === undefined ? null : report === "running" ? (
                  <p class="muted" role="status">
                    <span class="spinner small" aria-hidden="true" /> Running. Watch the conversation and the
                    logs.
                  </p>
                ) : report instanceof Error ? (
                  <Trouble text={report.message} />
                ) : (
                  <ReportView report={report} />
                )}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
