// Concluding: a form, and a second question, since it cannot be taken back.
import { useRef, useState } from "react";
import type { Move } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Dialog } from "#/design/Dialog.tsx";
import { OneOf, Percent, TextBox } from "#/design/Fields.tsx";
import { visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import type { DoctorView } from "./log.ts";
import { Evidence } from "./Evidence.tsx";
import { workingDiagnoses, type Thought } from "./Differential.tsx";

interface Conclusion {
  diagnosis: string;
  answer: string | null;
  percent: number | null;
  evidence: string[];
  more: string;
  plan: string;
  followup: string;
}

export function ConcludeDialog({
  sitting,
  open,
  onClose,
  onConclude,
  view,
  evidence,
  thoughts,
  busy,
  refused,
}: {
  sitting: string;
  open: boolean;
  onClose: () => void;
  onConclude: (move: Move) => Promise<boolean>;
  view: DoctorView;
  evidence: { id: string; text: string }[];
  thoughts: Thought[];
  busy: boolean;
  refused: string;
}) {
  const likeliest = workingDiagnoses(thoughts)[0];
  const [kept, keep] = useKept<Conclusion | null>(`osler.conclusion.${sitting}`, null);
  const now: Conclusion = kept ?? {
    diagnosis: likeliest?.name ?? "",
    answer: null,
    percent: likeliest?.confidence != null ? Math.round(likeliest.confidence * 100) : null,
    evidence: [],
    more: "",
    plan: "",
    followup: "",
  };
  const set = (part: Partial<Conclusion>) => keep({ ...now, ...part });
  const [sure, setSure] = useState(false);
  const [wrong, setWrong] = useState("");
  const options = view.task.options;
  const fields = useRef<HTMLDivElement>(null);

  const ask = () => {
    const lacks = options ? !now.answer && "Choose one of the options first." : !now.diagnosis.trim() && "Write your diagnosis first.";
    setWrong(lacks || "");
    if (lacks) fields.current?.querySelector<HTMLElement>(options ? "[role=radiogroup] input" : "input, textarea")?.focus();
    else setSure(true);
  };
  const conclude = async () => {
    const diagnosis = now.diagnosis.trim() || (now.answer && options?.[now.answer]) || "";
    const confidence = now.percent === null ? null : now.percent / 100;
    const working = workingDiagnoses(thoughts);
    const done = await onConclude({
      action: "FINALIZE",
      diagnosis,
      answer: now.answer,
      confidence,
      evidence: [...now.evidence, ...lines(now.more)],
      plan: lines(now.plan),
      followup: now.followup.trim(),
      working_diagnoses: working.length ? working : [{ name: diagnosis.slice(0, 300), confidence }],
    });
    setSure(false);
    if (done) onClose();
  };
  const close = () => {
    setSure(false);
    onClose();
  };
  if (sure)
    return (
      <Dialog
        open={open}
        onClose={close}
        heading="Conclude now?"
        ends={
          <>
            <Button onPress={() => setSure(false)}>Not yet</Button>
            <Button look="final" className="sure" onPress={() => void conclude()} isDisabled={busy}>
              Yes, conclude
            </Button>
          </>
        }
      >
        <p>
          Your diagnosis: <b>{visible(now.diagnosis.trim() || (now.answer && options?.[now.answer]) || "")}</b>
          {now.percent !== null && `, ${now.percent} % sure`}.
        </p>
        <p>This ends the consultation, and it cannot be taken back. The debrief comes next.</p>
      </Dialog>
    );
  return (
    <Dialog
      open={open}
      onClose={close}
      heading="Conclude"
      ends={
        <>
          {(wrong || refused) && (
            <p className="wrong" role="alert">
              {wrong || refused}
            </p>
          )}
          <Button onPress={close}>Go on with the patient</Button>
          <Button look="final" onPress={ask}>
            Conclude
          </Button>
        </>
      }
    >
      <p className="soft">{visible(view.task.question)}</p>
      <div className="stack" ref={fields}>
      {options && (
        <OneOf
          label="Your answer"
          options={Object.entries(options).map(([id, text]) => ({ id, text: `${id}: ${visible(text)}` }))}
          value={now.answer}
          onChange={(answer) => {
            setWrong("");
            set({ answer, diagnosis: now.diagnosis || (options[answer] ?? "") });
          }}
        />
      )}
      <TextBox
        label={view.task.kind === "diagnosis" || options ? "Diagnosis" : "Your answer"}
        value={now.diagnosis}
        onChange={(diagnosis) => {
          setWrong("");
          set({ diagnosis });
        }}
        wrong={options ? "" : wrong}
        max={4000}
        required={!options}
      />
      <Percent label="How sure are you?" value={now.percent} onChange={(percent) => set({ percent })} />
      <fieldset className="field">
        <legend className="label">What speaks for it</legend>
        <Evidence lines={evidence} chosen={now.evidence} onChange={(chosen) => set({ evidence: chosen })} />
        <TextBox label="In your own words" hint="One point a line" lines={2} value={now.more} onChange={(more) => set({ more })} />
      </fieldset>
      <TextBox label="Plan" hint="One step a line" lines={3} value={now.plan} onChange={(plan) => set({ plan })} />
      <TextBox
        label="Follow-up and safety net"
        hint="When they come back, and what should bring them back sooner"
        lines={2}
        value={now.followup}
        onChange={(followup) => set({ followup })}
      />
      </div>
    </Dialog>
  );
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim().slice(0, 4000))
    .filter(Boolean);
}
