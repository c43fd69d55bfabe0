// peers_mujoco.cpp - solvers beside MuJoCo's RK4 in reduced coordinates, on trees and chains, in one run.
//
// The model is translated to MuJoCo's XML: ball joints, no damping, no armature, and everything disabled
// that the mechanisms do not need (constraints, contacts, passive forces, actuators, sensors). Frames of
// its bodies are those of ours, at the centres of mass. Its XML parser limits the depth of elements, so
// that a chain is given in files, each included by the deepest body of the last. MuJoCo is the installed
// library, in double precision. The measurement: peers_mechanisms.h.
//
// Not part of `make bench` but of `make bench-mujoco`, where configure has found MuJoCo.
#include "peers_mechanisms.h"

#include <mujoco/mujoco.h>

#include <cstring>

namespace
{

constexpr int DEPTH = 60; // bodies of one file, along a path

// ---- The model as XML -----------------------------------------------------------------------------------

std::string attribute(const char *name, const double *values, int count)
{
  std::string text = std::string(" ") + name + "=\"";
  for (int i = 0; i < count; i++) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.17g", i ? " " : "", values[i]);
    text += number;
  }
  return text + "\"";
}

struct writer {
  const hn_model *model;
  std::vector<std::vector<int>> children; // of each body
  std::vector<std::string> file;          // included files

  explicit writer(const hn_model *of) : model(of), children(size_t(of->nbody))
  {
    for (int i = 0; i < of->njoint; i++) children[size_t(of->joint[i].a)].push_back(i);
  }

  // The child of joint i, relative to its parent
  std::string head(int i) const
  {
    const hn_joint &joint = model->joint[i];
    const hn_body &body = model->body[joint.b];
    double back[4], turn[4], at[3], from[3];
    mju_negQuat(back, model->body[joint.a].pose0.q);
    mju_mulQuat(turn, back, body.pose0.q);
    mju_rotVecQuat(from, joint.point_b, turn);
    mju_sub3(at, joint.point_a, from);
    return "<body name=\"b" + std::to_string(joint.b) + "\"" + attribute("pos", at, 3) +
           attribute("quat", turn, 4) + "><inertial pos=\"0 0 0\"" + attribute("mass", &body.mass, 1) +
           attribute("diaginertia", body.J, 3) + "/><joint type=\"ball\"" +
           attribute("pos", joint.point_b, 3) + "/>";
  }

  std::string subtree(int body, int depth)
  {
    std::string text;
    for (int i : children[size_t(body)]) {
      text += head(i);
      int child = model->joint[i].b;
      text += (depth % DEPTH || children[size_t(child)].empty()) ? subtree(child, depth + 1) : include(child);
      text += "</body>";
    }
    return text;
  }

  // Puts the bodies below BODY into a file of their own.
  std::string include(int body)
  {
    std::string inner = "<mujoco>" + subtree(body, 1) + "</mujoco>";
    file.push_back(inner);
    return "<include file=\"" + std::to_string(file.size()) + ".xml\"/>";
  }

  std::string whole()
  {
    return "<mujoco><compiler angle=\"radian\"/><option integrator=\"RK4\"" +
           attribute("timestep", &PEER_STEP, 1) + attribute("gravity", model->gravity, 3) +
           "><flag constraint=\"disable\" contact=\"disable\" passive=\"disable\" actuation=\"disable\" "
           "sensor=\"disable\"/></option><worldbody>" +
           subtree(0, 1) + "</worldbody></mujoco>";
  }
};

void add_file(mjVFS *files, const std::string &name, const std::string &text)
{
  if (mj_makeEmptyFileVFS(files, name.c_str(), int(text.size()))) end_with("too many files");
  int at = mj_findFileVFS(files, name.c_str());
  std::memcpy(files->filedata[at], text.data(), text.size());
}

mjModel *translated(const hn_model *model)
{
  std::unique_ptr<mjVFS> files(new mjVFS);
  mj_defaultVFS(files.get());
  writer out(model);
  add_file(files.get(), "model.xml", out.whole());
  for (size_t i = 0; i < out.file.size(); i++)
    add_file(files.get(), std::to_string(i + 1) + ".xml", out.file[i]);
  char error[1000] = "";
  mjModel *result = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!result) end_with(error);
  return result;
}

// ---- MuJoCo ---------------------------------------------------------------------------------------------

struct mujoco {
  const hn_model *ours;
  mjModel *model;
  mjData *data;

  explicit mujoco(const hn_model *of) : ours(of), model(translated(of)), data(mj_makeData(model))
  {
    const hn_body &root = of->body[1];
    double back[4];
    mju_negQuat(back, root.pose0.q);
    int body = mj_name2id(model, mjOBJ_BODY, "b1");
    mju_rotVecQuat(data->qvel + model->body_dofadr[body], root.twist0.w, back);
  }

  ~mujoco()
  {
    mj_deleteData(data), mj_deleteModel(model);
  }

  void take_steps(double, int, int count)
  {
    for (int k = 0; k < count; k++) mj_step(model, data);
  }

  // Returns the largest distance of a body from its position in REFERENCE.
  double error(const hn_state *reference)
  {
    double largest = 0.0;
    mj_kinematics(model, data);
    for (int i = 1; i < ours->nbody; i++) {
      const std::string name = "b" + std::to_string(i);
      const double *x = data->xpos + 3 * mj_name2id(model, mjOBJ_BODY, name.c_str());
      largest = std::max(largest, mju_dist3(x, reference->pose[i].x));
    }
    return largest;
  }
};

// MuJoCo factors the matrix of a chain as a dense one, O(n^3): 1024 bodies take seconds a step.
mechanism shortened(mechanism of)
{
  if (std::strcmp(of.scene, "chain") == 0) {
    of.rounds = of.n > 100 ? 1 : 5;
    if (of.n > 100) of.parts = 2, of.steps = 1;
  } else of.rounds = of.n > 100 ? 5 : 21;
  return of;
}

} // namespace

// holonom-peers-mujoco SPEC... compares other solvers.
int main(int count, char **words)
{
  std::vector<std::string> specs(words + 1, words + count);
  if (specs.empty()) specs = { "articulated:stepper=rk4" };
  std::printf("MuJoCo %s, double precision.\n", mj_versionString());
  for (const auto &spec : specs) {
    print_head(spec.c_str(), "MuJoCo's, RK4");
    for (const mechanism &of : MECHANISMS) compare_mechanism<mujoco>(shortened(of), spec.c_str());
  }
  return 0;
}
